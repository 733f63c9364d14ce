import { expect, test } from 'vitest'
import { readFigures } from './read-figures.ts'

const TOLD = `0.52 0.40 0.30 1/200 4242
--
4
--
MemTotal:        8000000 kB
MemAvailable:    2000000 kB
--
Filesystem     1024-blocks    Used Available Capacity Mounted on
udev               1000000       0   1000000       0% /dev
/dev/sda1         10000000 4000000   6000000      40% /
/dev/sdb1         10000000 9500000    500000      95% /srv/big data
/dev/loop3           60000   60000         0     100% /snap/core
tmpfs               100000   99000      1000      99% /run
--
nginx.service loaded failed failed A web server
● php.service  loaded failed failed PHP
systemd
--
restart
`

test('load, cores, memory, the fullest disk, failed services, a restart that is due', () => {
  expect(readFigures(TOLD)).toEqual({
    load: 0.52,
    cores: 4,
    memory: { used: 6_000_000 * 1024, total: 8_000_000 * 1024 },
    disk: { path: '/srv/big data', used: 9_500_000 * 1024, total: 10_000_000 * 1024 },
    failed_services: 2,
    restart_pending: true,
  })
})

test('what a machine does not tell, or tells wrongly, is not known', () => {
  const nothing = {
    load: null,
    cores: null,
    memory: null,
    disk: null,
    failed_services: null,
    restart_pending: false,
  }
  expect(readFigures('')).toEqual(nothing)
  expect(readFigures('NaN x\n--\n0\n--\nMemTotal: -1 kB\n--\n/dev/a 1 2 3\n--\n--\n')).toEqual(nothing)
})
