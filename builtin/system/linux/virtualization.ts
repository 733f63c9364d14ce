import { existsSync } from 'node:fs'
import { readKernelFile } from './proc.ts'

/** The hypervisor of this machine, as far as it is detectable, or null. */
export function readVirtualization(): string | null {
  const vendor = readKernelFile('/sys/class/dmi/id/sys_vendor')?.trim() ?? ''
  const product = readKernelFile('/sys/class/dmi/id/product_name')?.trim() ?? ''
  const shown = [vendor, product].filter((text) => text !== '').join(' ')
  if (
    /QEMU|KVM|VMware|VirtualBox|innotek|Xen|Microsoft Corporation Virtual|Amazon EC2|Google Compute|DigitalOcean|Hetzner|Bochs|Parallels|OpenStack/i.test(
      shown,
    )
  )
    return shown
  const type = readKernelFile('/sys/hypervisor/type')?.trim()
  if (type) return type
  return /^flags\s*:.*\bhypervisor\b/m.test(readKernelFile('/proc/cpuinfo') ?? '')
    ? 'a virtual machine (the hypervisor does not say which)'
    : null
}

/** The container that this process runs in, as far as it is detectable, or null. */
export function readContainer(): string | null {
  if (existsSync('/.dockerenv')) return 'Docker'
  if (existsSync('/run/.containerenv')) return 'Podman'
  const named = readKernelFile('/run/systemd/container')?.trim()
  if (named) return named
  const variable = /(?:^|\0)container=([^\0]+)/.exec(readKernelFile('/proc/1/environ') ?? '')?.[1]
  if (variable) return variable
  return /(kubepods|docker|containerd|libpod|lxc)/.exec(readKernelFile('/proc/1/cgroup') ?? '')?.[1] ?? null
}
