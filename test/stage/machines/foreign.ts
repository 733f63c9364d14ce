import type { MachineFacts } from '../../../server/modules/machines.ts'
import type { MachineFiles } from './rooted-machine.ts'

const UNKNOWN: MachineFacts = {
  system: 'Linux',
  release: '2.6.32-754.el6.x86_64',
  architecture: 'x86_64',
  host_name: 'legacy',
  os_release: {},
  cores: null,
  init: 'other',
  package_manager: null,
  elevation: null,
  busybox: false,
  boot_id: null,
  clock: { offset_ms: 0, time_zone: 'Mars/Olympus' },
  account: { uid: 501, name: '501' },
  reeve: null,
}

/** A kernel of 2009: no MemAvailable, no pressure, no list of mounts as it is now, no os-release. */
export const LEGACY: MachineFiles = {
  facts: UNKNOWN,
  files: {
    'proc/loadavg': '0.00 0.01 0.05 1/120 3000\n',
    'proc/uptime': '120.00 100.00\n',
    'proc/meminfo':
      'MemTotal:        1000000 kB\nMemFree:          100000 kB\nBuffers:           50000 kB\nCached:           250000 kB\n',
    'proc/stat': 'cpu  10 0 10 1000\ncpu0 10 0 10 1000\nbtime 1732000000\n',
    'proc/cpuinfo': 'processor\t: 0\nBogoMIPS\t: 48.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n\n',
  },
  programs: {
    df:
      'Filesystem         1024-blocks      Used Available Capacity Mounted on\n/dev/mapper/vg_root-lv root 51475068 47000000   1800000      97% /\n' +
      'tmpfs                   510000         0    510000       0% /dev/shm\n',
  },
}

/** Nothing of /proc can be read, as in some jails. */
export const BARE: MachineFiles = { facts: UNKNOWN, files: { 'etc/passwd': 'root:x:0:0::/root:/bin/sh\n' } }

/** FreeBSD 14. */
export const FREEBSD: MachineFiles = {
  facts: {
    ...UNKNOWN,
    system: 'FreeBSD',
    release: '14.1-RELEASE',
    architecture: 'amd64',
    host_name: 'bsd',
    os_release: { PRETTY_NAME: 'FreeBSD 14.1-RELEASE' },
    cores: 4,
    package_manager: 'pkg',
    clock: { offset_ms: 0, time_zone: 'UTC' },
    account: { uid: 1001, name: 'reeve-op' },
  },
  files: { 'etc/passwd': 'root:*:0:0:Charlie &:/root:/bin/sh\n' },
  programs: {
    sysctl:
      'kern.boottime: { sec = 1732000000, usec = 123456 } Tue Nov 19 07:06:40 2024\nvm.loadavg: { 0.25 0.30 0.28 }\nhw.physmem: 8544931840\n',
    df:
      'Filesystem         1024-blocks    Used    Avail Capacity  Mounted on\nzroot/ROOT/default    20000000 5000000 15000000    25%    /\n' +
      'devfs                        1       1        0   100%    /dev\nzroot/home data       15000512     512 15000000     0%    /home of all\n',
    ps:
      '    0     0 root     DLs   0.0   1712 3-02:11:05 [kernel]\n    1     0 root     ILs   0.0   1288 3-02:11:05 /sbin/init\n' +
      ' 2210     1 www      S     7.5  20480      12:03 nginx: worker process (nginx)\nno line of it\n',
  },
}

/** macOS 14. */
export const MACOS: MachineFiles = {
  facts: {
    ...FREEBSD.facts,
    system: 'Darwin',
    release: '23.4.0',
    architecture: 'arm64',
    host_name: 'mac',
    os_release: {},
  },
  files: {},
  programs: {
    sysctl:
      'kern.boottime: { sec = 1732000000, usec = 5 } Tue Nov 19 08:06:40 2024\nvm.loadavg: { 2,10 1,90 1,80 }\nhw.memsize: 17179869184\n',
    df:
      'Filesystem     1024-blocks      Used Available Capacity  Mounted on\n/dev/disk3s1s1   482797652  10000000 200000000     5%    /\n' +
      'map auto_home            0         0         0   100%    /System/Volumes/Data/home\n',
    ps: '    1     0 root             Ss     0.1  18000 10-01:00:00 /sbin/launchd\n',
  },
}
