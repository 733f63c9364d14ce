import type { MachineFiles } from './rooted-machine.ts'

/** Alpine 3.20 in a virtual machine: BusyBox, OpenRC, no systemd, no pressure figures, no sudo. */
export const ALPINE: MachineFiles = {
  facts: {
    system: 'Linux',
    release: '6.6.32-0-virt',
    architecture: 'x86_64',
    host_name: 'edge-1',
    os_release: { ID: 'alpine', VERSION_ID: '3.20.0', PRETTY_NAME: 'Alpine Linux v3.20' },
    cores: 1,
    init: 'openrc',
    package_manager: 'apk',
    elevation: 'doas',
    busybox: true,
    boot_id: '0b6c5a4e-6c2f-4c57-9f0e-0f2f3c1d9a11',
    clock: { offset_ms: -90_000, time_zone: null },
    account: { uid: 1000, name: 'reeve-op' },
    reeve: null,
  },
  files: {
    'proc/sys/kernel/hostname': 'edge-1\n',
    'proc/uptime': '86461.07 80000.10\n',
    'proc/loadavg': '0.08 0.03 0.01 1/87 2411\n',
    'proc/meminfo':
      'MemTotal:         490072 kB\nMemFree:          301412 kB\nMemAvailable:     395520 kB\nBuffers:            8812 kB\n' +
      'Cached:            98224 kB\nSwapCached:            0 kB\nSwapTotal:        524284 kB\nSwapFree:         524284 kB\nSReclaimable:      12304 kB\n',
    'proc/cpuinfo':
      'processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: QEMU Virtual CPU version 2.5+\ncpu MHz\t\t: 2399.998\nflags\t\t: fpu de pse hypervisor lahf_lm\n\n',
    'proc/stat':
      'cpu  3120 0 5210 860012 411 0 97 12 0 0\ncpu0 3120 0 5210 860012 411 0 97 12 0 0\nintr 1203311 26 9 0\nctxt 2210933\nbtime 1732000000\nprocesses 2411\n',
    'proc/self/cgroup': '0::/\n',
    'proc/self/mountinfo':
      '18 23 0:17 / /sys rw,nosuid - sysfs sysfs rw\n20 23 0:5 / /dev rw - devtmpfs devtmpfs rw\n23 1 253:3 / / rw,relatime - ext4 /dev/vda3 rw\n' +
      '30 23 253:1 / /boot rw,relatime - ext4 /dev/vda1 rw\n31 23 0:25 / /media/my\\040share rw - nfs4 nas:/share rw\n',
    'proc/net/dev':
      'Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n' +
      '    lo:   10512     104    0    0    0     0          0         0    10512     104    0    0    0     0       0          0\n' +
      '  eth0: 5120990    4100    2    1    0     0          0         0   901233    3001    0    3    0     0       0          0\n',
    'proc/net/route':
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\neth0\t00000000\t0100A8C0\t0003\t0\t0\t202\t00000000\t0\t0\t0\n',
    'proc/net/tcp':
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n' +
      '   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5012 1 0000000000000000 100 0 0 10 0\n' +
      '   1: 0F00A8C0:0016 0200A8C0:C5D2 01 00000000:00000000 02:000AF3A1 00000000     0        0 6110 4 0000000000000000 20 4 1 10 -1\n',
    'proc/1/stat':
      '1 (init) S 0 1 1 0 -1 4194560 1203 42156 11 95 12 58 120 205 20 0 1 0 2 1724416 176 18446744073709551615 0 0\n',
    'proc/1/status': 'Name:\tinit\nState:\tS (sleeping)\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nVmRSS:\t     704 kB\n',
    'proc/1/comm': 'init\n',
    'proc/1/cmdline': '/sbin/init\0',
    'proc/812/stat':
      '812 (sshd) S 1 812 812 0 -1 4194560 900 0 3 0 4 2 0 0 20 0 1 0 1200 6200000 1102 18446744073709551615 0 0\n',
    'proc/812/status': 'Name:\tsshd\nUid:\t0\t0\t0\t0\nVmRSS:\t    4408 kB\n',
    'proc/812/cmdline': 'sshd: /usr/sbin/sshd [listener] 0 of 10-100 startups\0',
    'proc/812/fd/3': '-> socket:[5012]',
    'proc/900/stat':
      '900 (a) R 9 (b) S 1 900 900 0 -1 4194560 12 0 0 0 1 0 0 0 20 0 3 0 8640000 4000000 250 18446744073709551615 0 0\n',
    'proc/900/status': 'Name:\ta) R 9 (b\nUid:\t4242\t4242\t4242\t4242\nVmRSS:\t    1000 kB\n',
    'proc/900/cmdline': '/tmp/a) R 9 (b\0--flag\0two words\0',
    'etc/passwd': 'root:x:0:0:root:/root:/bin/ash\nreeve-op:x:1000:1000::/home/reeve-op:/bin/ash\n',
    'etc/resolv.conf': 'nameserver 192.168.0.1\n',
    'sys/class/dmi/id/sys_vendor': 'QEMU\n',
    'sys/class/dmi/id/product_name': 'Standard PC (Q35 + ICH9, 2009)\n',
    'sys/class/net/lo/mtu': '65536\n',
    'sys/class/net/eth0/operstate': 'up\n',
    'sys/class/net/eth0/address': '52:54:00:12:34:56\n',
    'sys/class/net/eth0/mtu': '1500\n',
    'sys/block/vda/size': '4194304\n',
    'sys/block/vda/removable': '0\n',
    'sys/block/vda/ro': '0\n',
    'sys/block/vda/queue/rotational': '1\n',
    'sys/block/loop0/size': '0\n',
    'var/log/messages': 'Nov 19 07:00:01 edge-1 daemon.info: first\nNov 19 08:00:01 edge-1 auth.err: second\n',
    'var/log/dmesg': 'booted\n',
  },
  spaces: {
    '/': { size: 1_900_000_000, used: 400_000_000, available: 1_400_000_000, inodes: 122_160, inodes_used: 20_000 },
    '/boot': { size: 90_000_000, used: 88_000_000, available: 2_000_000, inodes: 0, inodes_used: 0 },
  },
  addresses: { lo: ['127.0.0.1/8'], eth0: ['192.168.0.15/24'] },
}
