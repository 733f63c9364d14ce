import { existsSync, readFileSync, realpathSync } from 'node:fs'
import os from 'node:os'
import type { MachineFacts } from '../../modules/machines.ts'
import { parseOsRelease } from '../os-release.ts'

const PROGRAM_FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/bin', '/sbin']
/** Program → package manager; the first that is there. */
const PACKAGE_MANAGERS = [
  ['apt-get', 'apt'],
  ['dnf5', 'dnf5'],
  ['dnf', 'dnf'],
  ['zypper', 'zypper'],
  ['pacman', 'pacman'],
  ['apk', 'apk'],
  ['pkg', 'pkg'],
] as const

/** What this machine is. None of it changes while this process runs, but for what somebody installs. */
export function readLocalFacts(): MachineFacts {
  const text = (path: string): string | null => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return null
    }
  }
  const has = (program: string): boolean => PROGRAM_FOLDERS.some((folder) => existsSync(`${folder}/${program}`))
  const release = text('/etc/os-release') ?? text('/usr/lib/os-release')
  return {
    system: os.type(),
    release: os.release(),
    architecture: os.machine(),
    host_name: os.hostname(),
    os_release: release === null ? { PRETTY_NAME: `${os.version()} (${process.platform})` } : parseOsRelease(release),
    cores: os.availableParallelism(),
    init: initSystem(),
    package_manager: PACKAGE_MANAGERS.find(([program]) => has(program))?.[1] ?? null,
    elevation: has('sudo') ? 'sudo' : has('doas') ? 'doas' : null,
    busybox: isBusybox(),
    boot_id: text('/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    clock: { offset_ms: 0, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    account: { uid: process.getuid?.() ?? -1, name: accountName() },
    reeve: { pid: process.pid, parent: process.ppid },
  }
}

function initSystem(): MachineFacts['init'] {
  if (process.platform === 'darwin') return 'launchd'
  if (existsSync('/run/systemd/system')) return 'systemd'
  return existsSync('/run/openrc') ? 'openrc' : 'other'
}

function isBusybox(): boolean {
  try {
    return /busybox/.test(realpathSync('/bin/ls'))
  } catch {
    return false
  }
}

/** A container's user id often has no account. */
function accountName(): string {
  try {
    return os.userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
