import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { skipReason } from '../skip-reason.ts'
import { ROOT } from '../sources/source-graph.ts'
import { inDebian, makeDebian, whyNoDebian } from './debian-root.ts'

/** Kept between runs, and only ever read: every machine writes to a layer of its own above it. */
const CACHE = join(ROOT, 'node_modules/.cache/debian-bookworm-server')
const PACKAGES = 'systemd systemd-sysv dbus libpam-systemd openssh-server sudo nginx-light bubblewrap'
/** What a machine needs of the kernel, tried in mounts and a network that end with the attempt. */
const TRIED = `mkdir -p "$0/lower" "$0/upper" "$0/work" "$0/root" "$0/cgroup"
mount --make-rprivate / && mount -t cgroup2 c "$0/cgroup" &&
mount -t overlay o -o "lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work" "$0/root" &&
ip link add reeve-try type bridge && ip link add reeve-try1 type veth peer name reeve-try2`

/** Why there can be no machines with a systemd of their own (systemd-machines.ts); null when there can. @param scratch a folder */
export function whyNoMachines(scratch: string): string | null {
  const why = whyNoDebian()
  if (why !== null) return why
  const spaces = ['--mount', '--net', '--pid', '--uts', '--ipc', '--cgroup', '--fork']
  const { status, stderr } = spawnSync('unshare', [...spaces, 'sh', '-c', TRIED, scratch], { encoding: 'utf8' })
  return status === 0 ? null : `this machine lets us make no others: ${stderr.trim()}`
}

/** A Debian 12 as somebody sets up a server: systemd, sshd, sudo, nginx. Resolves with its folder, else with why it could not be fetched. */
export async function furnishedDebian(): Promise<{ folder: string } | { missing: string }> {
  if (existsSync(CACHE)) return { folder: CACHE }
  const half = `${CACHE}.${process.pid}`
  const missing = await makeDebian(half)
  if (missing !== null) return { missing }
  await copyFile('/etc/resolv.conf', join(half, 'etc/resolv.conf'))
  const { code, output } = await inDebian(
    half,
    // Nothing is started while it is put there.
    `printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d
     export DEBIAN_FRONTEND=noninteractive; apt-get update -q
     apt-get install -y -q --no-install-recommends -o Dpkg::Options::=--force-unsafe-io ${PACKAGES}; apt-get clean
     rm -r /usr/sbin/policy-rc.d /etc/resolv.conf /etc/ssh/ssh_host_* /var/lib/apt/lists /etc/apt/sources.list
     : >/etc/machine-id`,
    { network: true },
  )
  if (code !== 0) {
    await rm(half, { recursive: true, force: true })
    return { missing: skipReason(`Debian's packages cannot be fetched: ${output.trim().split('\n').at(-1)}`)! }
  }
  // Another test was faster: one is as good as the other.
  await rename(half, CACHE).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    await rm(half, { recursive: true, force: true })
  })
  return { folder: CACHE }
}
