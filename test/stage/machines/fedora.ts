import type { MachineFiles } from './rooted-machine.ts'

const core = (number: number, kilohertz: string): Record<string, string> => ({
  [`sys/devices/system/cpu/cpu${number}/cpufreq/scaling_cur_freq`]: `${kilohertz}\n`,
})
const entry = (fields: Record<string, unknown>): string => `${JSON.stringify(fields)}\n`

/** Fedora 40 on hardware: systemd, a journal, pressure figures, control groups of version 2 with a limit. */
export const FEDORA: MachineFiles = {
  facts: {
    system: 'Linux',
    release: '6.8.5-301.fc40.x86_64',
    architecture: 'x86_64',
    host_name: 'build-7',
    os_release: { ID: 'fedora', VERSION_ID: '40', PRETTY_NAME: 'Fedora Linux 40 (Server Edition)' },
    cores: 2,
    init: 'systemd',
    package_manager: 'dnf',
    elevation: 'sudo',
    busybox: false,
    boot_id: '5f5b1a3c-0a0b-44aa-8a72-5b4d1f9e2c20',
    clock: { offset_ms: 0, time_zone: 'Europe/Berlin' },
    account: { uid: 990, name: 'reeve-op' },
    reeve: null,
  },
  files: {
    'proc/sys/kernel/hostname': 'build-7.example.org\n',
    'proc/uptime': '3600.50 7100.00\n',
    'proc/loadavg': '1.50 0.75 0.25 2/512 9001\n',
    'proc/meminfo':
      'MemTotal:       16000000 kB\nMemFree:         2000000 kB\nMemAvailable:   12000000 kB\nBuffers:          100000 kB\nCached:          8000000 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\nHugePages_Total:       0\n',
    'proc/cpuinfo':
      'processor\t: 0\nmodel name\t: AMD EPYC 7302P 16-Core Processor\ncpu MHz\t\t: 1500.000\nflags\t\t: fpu vme\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 7302P 16-Core Processor\ncpu MHz\t\t: 3300.000\n\n',
    'proc/stat':
      'cpu  200 0 100 7000 10 0 5 0 0 0\ncpu0 100 0 50 3500 5 0 3 0 0 0\ncpu1 100 0 50 3500 5 0 2 0 0 0\nbtime 1732000000\n',
    'proc/pressure/cpu':
      'some avg10=1.53 avg60=0.87 avg300=0.21 total=157656722\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n',
    'proc/pressure/memory':
      'some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n',
    'proc/pressure/io':
      'some avg10=12.00 avg60=3.10 avg300=1.00 total=9\nfull avg10=4.25 avg60=1.00 avg300=0.30 total=7\n',
    'proc/self/cgroup': '0::/user.slice/user-990.slice/session-4.scope\n',
    'sys/fs/cgroup/user.slice/user-990.slice/memory.max': '2147483648\n',
    'sys/fs/cgroup/user.slice/user-990.slice/memory.current': '536870912\n',
    'sys/fs/cgroup/user.slice/memory.max': 'max\n',
    'sys/fs/cgroup/user.slice/memory.current': '999\n',
    'proc/self/mountinfo':
      '61 1 0:33 /root / rw,relatime shared:1 - btrfs /dev/nvme0n1p3 rw,compress=zstd:1\n70 61 0:33 /home /home rw,relatime shared:2 - btrfs /dev/nvme0n1p3 rw\n71 61 259:2 / /boot ro,relatime shared:3 - ext4 /dev/nvme0n1p2 ro\n',
    'proc/1/comm': 'systemd\n',
    'run/systemd/system/.keep': '',
    'run/systemd/journal/socket.keep': '',
    ...core(0, '1499998'),
    ...core(1, '3300012'),
    'sys/devices/system/cpu/online': '0-1\n',
    'sys/block/nvme0n1/size': '1953525168\n',
    'sys/block/nvme0n1/device/model': 'SAMSUNG MZVL21T0HCLR-00B00              \n',
    'sys/block/nvme0n1/queue/rotational': '0\n',
    'etc/passwd': 'root:x:0:0::/root:/bin/bash\n',
  },
  programs: {
    systemctl:
      'Id=sshd.service\nDescription=OpenSSH server daemon\nLoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\nResult=success\nMainPID=800\nMemoryCurrent=4194304\nActiveEnterTimestampMonotonic=12000000\n\n' +
      'Id=dnf-makecache.service\nDescription=dnf makecache\nLoadState=loaded\nActiveState=failed\nSubState=failed\nUnitFileState=static\nResult=exit-code\nMainPID=0\nMemoryCurrent=[not set]\nActiveEnterTimestampMonotonic=0\n',
    journalctl:
      entry({
        __REALTIME_TIMESTAMP: '1732003000000000',
        PRIORITY: '3',
        SYSLOG_IDENTIFIER: 'sshd',
        _PID: '800',
        MESSAGE: 'refused',
      }) + '-- No entries --\n{"cut\n',
  },
  spaces: { '/': { size: 1e12, used: 4e11, available: 6e11, inodes: 0, inodes_used: 0 } },
}
