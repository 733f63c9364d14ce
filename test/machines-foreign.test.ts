import { execFileSync, spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DF, parseDf } from '../builtin/system/unix/df.ts'
import { parsePs, PS } from '../builtin/system/unix/ps.ts'
import { BARE, FREEBSD, LEGACY, MACOS } from './stage/machines/foreign.ts'
import { openMachines } from './stage/machines/open-machines.ts'

let machines: Awaited<ReturnType<typeof openMachines>>
const call: typeof machines.call = (...about) => machines.call(...about)
const facts: typeof machines.facts = (host_id) => machines.facts(host_id)
beforeAll(async () => {
  machines = await openMachines({ legacy: LEGACY, bare: BARE, freebsd: FREEBSD, macos: MACOS })
})
afterAll(() => machines[Symbol.asyncDispose]())

describe('a machine that says less', () => {
  test('an old kernel: figures as far as they go, file systems by df, names for the nameless', async () => {
    expect(await facts('legacy')).toMatchObject({
      'Operating system': 'Linux 2.6.32-754.el6.x86_64',
      Cores: 'unknown',
      Uptime: '0 h 2 min',
      'Time zone': 'Mars/Olympus',
      'Runs as': 'user id 501',
    })
    expect((await call('legacy', 'memory')).rows('Memory')[0]).toMatchObject({ available: 409_600_000, usage: 60 })
    expect((await call('legacy', 'cpu')).text).toContain('Cortex-A72, 1 cores')
    const disks = await call('legacy', 'disks')
    expect(disks.text).toBe('1 file systems. 90 % full or more: /.')
    expect(disks.rows('File systems')).toMatchObject([
      { path: '/', source: '/dev/mapper/vg_root-lv root', usage: 96.3 },
    ])
    expect((await call('legacy', 'network')).text).toBe('Host legacy. Default route: none. Name servers: none.')
  })
  test('nothing of /proc: each tool says so or shows nothing, and none breaks', async () => {
    expect(await facts('bare')).toMatchObject({
      Memory: 'unknown',
      Uptime: 'unknown',
      'Load (1, 5, 15 min)': 'unknown',
    })
    expect((await call('bare', 'cpu')).text).toContain('/proc/stat cannot be read')
    expect((await call('bare', 'memory')).text).toContain('/proc/meminfo cannot be read')
    expect((await call('bare', 'disks')).text).toBe('There is no program "df" on this machine.')
    expect((await call('bare', 'processes')).text).toBe('0 processes, 0 of them match; sorted by cpu.')
    expect((await call('bare', 'services')).text).toContain('(process 1 is unknown)')
    expect((await call('bare', 'logs')).text).toContain('There are: none.')
  })
  test('FreeBSD: host, disks and processes by programs that every system has', async () => {
    expect(await facts('freebsd')).toMatchObject({
      'Operating system': 'FreeBSD 14.1-RELEASE',
      Memory: '8.0 GiB',
      'Started at': '2024-11-19T07:06:40Z',
      'Load (1, 5, 15 min)': '0.25, 0.30, 0.28',
    })
    const disks = await call('freebsd', 'disks')
    expect(disks.text).toBe('2 file systems. The fullest is /: 25 % used, 14.3 GiB available.')
    expect(disks.rows('File systems').map(({ path }) => path)).toEqual(['/', '/home of all'])
    const processes = await call('freebsd', 'processes', { sort: 'cpu' })
    expect(processes.rows('Processes')).toMatchObject([
      { pid: 2210, user: 'www', cpu: 7.5, state: 'sleeping', threads: null, memory: 20_971_520, memory_share: 0.2 },
      { pid: 0, command: '[kernel]' },
      { pid: 1, parent: 0 },
    ])
  })
  test('macOS: the decimal comma of another language is no reason to fail', async () => {
    expect(await facts('macos')).toMatchObject({
      'Operating system': 'Darwin 23.4.0',
      Memory: '16.0 GiB',
      'Load (1, 5, 15 min)': '2.10, 1.90, 1.80',
    })
    expect((await call('macos', 'disks')).rows('File systems')).toMatchObject([{ path: '/', usage: 4.8 }])
    expect((await call('macos', 'processes')).rows('Processes')).toMatchObject([{ pid: 1, state: 'sleeping' }])
  })
  test.each(['cpu', 'memory', 'network', 'services', 'logs'])('%s is only for Linux', async (tool) => {
    expect(await call('freebsd', tool)).toMatchObject({
      failed: true,
      text: expect.stringMatching(/are read from \/proc, which only Linux has; this machine runs FreeBSD\./) as string,
    })
  })
  test('the programs asked there are understood here, too', async ({ skip }) => {
    if (process.platform !== 'linux') return skip('This machine is no Linux.')
    const child = spawn('sleep', ['1234.5'], { stdio: 'ignore' })
    try {
      const told = ([program, ...args]: readonly [string, ...string[]]) => execFileSync(program, args).toString()
      expect(parseDf(told(DF)).map(({ path }) => path)).toContain('/')
      expect(parsePs(told(PS), Date.now()).find(({ pid }) => pid === child.pid)).toMatchObject({
        parent: process.pid,
        command: 'sleep 1234.5',
        started: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      })
    } finally {
      child.kill('SIGKILL')
    }
  })
})
