import type { KernelTexts } from './kernel-texts.ts'

const HYPERVISOR =
  /QEMU|KVM|VMware|VirtualBox|innotek|Xen|Microsoft Corporation Virtual|Amazon EC2|Google Compute|DigitalOcean|Hetzner|Bochs|Parallels|OpenStack/i

/** All that the two below look at. */
export const VIRTUALIZATION_FILES = [
  '/sys/class/dmi/id/sys_vendor',
  '/sys/class/dmi/id/product_name',
  '/sys/hypervisor/type',
  '/proc/cpuinfo',
  '/.dockerenv',
  '/run/.containerenv',
  '/run/systemd/container',
  '/proc/1/environ',
  '/proc/1/cgroup',
]

/** The hypervisor of this machine, as far as it is detectable, or null. */
export function findVirtualization({ text, trimmed }: KernelTexts): string | null {
  const shown = [trimmed('/sys/class/dmi/id/sys_vendor'), trimmed('/sys/class/dmi/id/product_name')]
    .filter((each) => each !== '')
    .join(' ')
  if (HYPERVISOR.test(shown)) return shown
  const type = trimmed('/sys/hypervisor/type')
  if (type !== '') return type
  return /^flags\s*:.*\bhypervisor\b/m.test(text('/proc/cpuinfo') ?? '')
    ? 'a virtual machine (the hypervisor does not say which)'
    : null
}

/** The container that this machine is, as far as it is detectable, or null. */
export function findContainer({ text, trimmed, there }: KernelTexts): string | null {
  if (there('/.dockerenv')) return 'Docker'
  if (there('/run/.containerenv')) return 'Podman'
  const named = trimmed('/run/systemd/container')
  if (named !== '') return named
  const variable = /(?:^|\0)container=([^\0]+)/.exec(text('/proc/1/environ') ?? '')?.[1]
  if (variable) return variable
  return /(kubepods|docker|containerd|libpod|lxc)/.exec(text('/proc/1/cgroup') ?? '')?.[1] ?? null
}
