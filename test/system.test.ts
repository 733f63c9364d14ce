import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { journalProblem, parseJournal } from '../builtin/system/programs/journal.ts'
import { parseUnits } from '../builtin/system/programs/systemd-units.ts'
import { systemModule } from '../builtin/system/module.ts'
import { decodeAddress } from '../builtin/system/linux/sockets.ts'
import { localMachines } from '../server/hosts/local/local-machines.ts'
import { openSystem, rowsOf as rows } from './stage/modules/system-module.ts'
import { until } from './stage/wait.ts'

let system: Awaited<ReturnType<typeof openSystem>>
let call: typeof system.call
beforeAll(async () => {
  system = await openSystem()
  call = system.call
})
afterAll(() => system[Symbol.asyncDispose]())

describe('what the tools are', () => {
  /** The others are previews and verifications, which nobody is offered. */
  const offered = () => system.host.list().filter((tool) => tool.hidden !== true)
  test('each has title, description, effect and a schema; what changes something is seen beforehand', () => {
    const reads =
      'certificates cpu disk_usage disks firewall host logs memory network operation packages processes services timers users'.split(
        ' ',
      )
    const operations = ['file', 'journal_vacuum', 'package', 'power', 'service', 'undo', 'user']
    const others = ['run_command', 'run_command_as_root', 'signal_process']
    expect(offered().map((tool) => tool.name)).toEqual([...reads, ...operations, ...others].sort())
    for (const tool of offered()) {
      const effect = reads.includes(tool.name) ? 'read' : tool.name === 'service' ? 'write' : 'destructive'
      expect([tool.name, tool.effect]).toEqual([tool.name, effect])
      expect(tool.preview_required ?? false).toBe(operations.includes(tool.name))
      expect(tool.preview).toBe(operations.includes(tool.name) ? `preview_${tool.name}` : undefined)
      expect(tool.builtin).toBe(true)
      expect(tool.title).not.toBe(tool.name)
      expect(tool.description.length).toBeGreaterThan(60)
      expect(tool.input_schema).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })
  test('the manifest names exactly these tools', () => {
    expect(
      systemModule(localMachines(null))
        .manifest.tools.map((tool) => tool.name)
        .sort(),
    ).toEqual(
      offered()
        .map((tool) => tool.name)
        .sort(),
    )
  })
})

describe.runIf(process.platform === 'linux')('what the machine says', () => {
  test('host: name, kernel and boot time', async () => {
    const result = await call('host')
    const facts = new Map(rows(result, 'Host').map((row) => [row['fact'], String(row['value'])]))
    expect(facts.get('Host name')).toBe(os.hostname())
    expect(facts.get('Kernel')).toContain(execFileSync('uname', ['-r']).toString().trim())
    const boot = execFileSync('uptime', ['-s'], { env: { ...process.env, TZ: 'UTC' } })
      .toString()
      .trim()
    expect(Math.abs(Date.parse(facts.get('Started at') ?? '') - Date.parse(`${boot.replace(' ', 'T')}Z`))).toBeLessThan(
      5000,
    )
  })
  test('cpu: one row per core and one for all, percent', async () => {
    const result = await call('cpu')
    const cores = rows(result, 'Use per core')
    expect(cores).toHaveLength(Number(execFileSync('nproc', ['--all']).toString()) + 1)
    for (const core of cores) expect(core['usage']).toSatisfy((usage: number) => usage >= 0 && usage <= 100)
  })
  test('cpu: a core that this process keeps busy is seen', async () => {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    try {
      // A machine with other work gives it a core only now and then.
      const used = await until(
        async () => {
          const found = rows(await call('processes', { filter: 'for (;;)' }), 'Processes')
          const cpu = Number(found.find((row) => row['pid'] === busy.pid)?.['cpu'])
          return cpu > 10 && cpu
        },
        { what: 'the loop uses a core' },
      )
      expect(used).toBeGreaterThan(10)
    } finally {
      busy.kill('SIGKILL')
    }
  })
  test('memory: total as the system counts it', async () => {
    const memory = rows(await call('memory'), 'Memory').find((row) => row['name'] === 'Memory')
    expect(Math.abs(Number(memory?.['total']) / os.totalmem() - 1)).toBeLessThan(0.01)
    expect(Math.abs(Number(memory?.['available']) / os.freemem() - 1)).toBeLessThan(0.2)
    expect(Number(memory?.['used']) + Number(memory?.['available'])).toBe(memory?.['total'])
  })
  test('disks: size and use of / as df and statfs say', async () => {
    const result = await call('disks')
    expect(result.text).toMatch(/The fullest is \/\S*: [\d.]+ % used, [\d.]+ GiB available\.|90 % full or more: \//)
    const root = rows(result, 'File systems').find((row) => row['path'] === '/')
    const stats = statfsSync('/')
    expect(root?.['size']).toBe(stats.blocks * stats.bsize)
    const [, line = ''] = execFileSync('df', ['-P', '-B1', '/']).toString().split('\n')
    const [, size, , , percent = ''] = line.split(/\s+/)
    expect(root?.['size']).toBe(Number(size))
    expect(Math.abs(Number(root?.['usage']) - Number.parseInt(percent, 10))).toBeLessThanOrEqual(1.1)
  })
  test('network: addresses, and a port that this process listens on', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    try {
      const result = await call('network', { port })
      expect(rows(result, 'Listening sockets')).toMatchObject([
        { protocol: 'tcp', address: '127.0.0.1', port, pid: process.pid },
      ])
      const loopback = rows(result, 'Interfaces').find((row) => row['name'] === 'lo')
      expect(loopback?.['addresses']).toContain('127.0.0.1/8')
    } finally {
      server.close()
    }
  })
  test('addresses of the kernel are decoded', () => {
    expect(decodeAddress('0100007F')).toBe('127.0.0.1')
    expect(decodeAddress('00000000000000000000000001000000')).toBe('::1')
    expect(decodeAddress('B80D01200000000067452301EFCDAB89')).toBe('2001:db8::123:4567:89ab:cdef')
  })
  test('processes: this one, with the right command, parent and user', async () => {
    const result = await call('processes', { sort: 'pid', limit: 1000 })
    const own = rows(result, 'Processes').find((row) => row['pid'] === process.pid)
    expect(own).toMatchObject({ parent: process.ppid, user: os.userInfo().username })
    const ps = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(process.pid)])
      .toString()
      .trim()
    expect(own?.['command']).toBe(ps)
    expect(result.tables[0]?.total_rows).toBeGreaterThanOrEqual(rows(result, 'Processes').length)
  })
  test('processes: one that was just started is found by filter, and sort and limit hold', async () => {
    const child = spawn('sleep', ['1234.5'], { stdio: 'ignore' })
    try {
      const found = rows(await call('processes', { filter: 'SLEEP 1234.5' }), 'Processes')
      expect(found.map((row) => row['pid'])).toContain(child.pid)
      const largest = rows(await call('processes', { sort: 'memory', limit: 3 }), 'Processes').map((row) =>
        Number(row['memory']),
      )
      expect(largest).toEqual([...largest].sort((a, b) => b - a))
      expect(largest).toHaveLength(3)
    } finally {
      child.kill('SIGKILL')
    }
  })
  test.runIf(existsSync('/run/systemd/system'))('services: the units of systemd', async () => {
    expect(rows(await call('services'), 'Services').length).toBeGreaterThan(0)
  })
  test.skipIf(existsSync('/run/systemd/system'))('services: a clear sentence where systemd does not run', async () => {
    const text = expect.stringContaining('systemd does not manage this machine')
    expect(await call('services')).toMatchObject({ status: 'failed', text })
  })
  test('a journal that the account may not read says what helps', () => {
    // Of systemd 257 on Debian 13.
    const refused = 'No journal files were opened due to insufficient permissions.\n'
    expect(journalProblem(refused, 1)).toMatch(/insufficient permissions\. Put the account .* group systemd-journal/)
    expect(journalProblem('', 1)).toBe('journalctl failed: exit code 1')
  })

  test('systemctl show and journalctl are read in their real format', () => {
    const units = [
      'Id=nginx.service\nDescription=A high performance web server\nLoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\nResult=success\nMainPID=812\nMemoryCurrent=9437184\nActiveEnterTimestampMonotonic=12000000',
      'Id=backup.service\nDescription=Backup = nightly\nLoadState=loaded\nActiveState=failed\nSubState=failed\nUnitFileState=static\nResult=exit-code\nMainPID=0\nMemoryCurrent=[not set]\nActiveEnterTimestampMonotonic=0',
      'Id=gone.service\nLoadState=not-found\nActiveState=inactive',
    ].join('\n\n')
    expect(parseUnits(`${units}\n`, Date.UTC(2026, 0, 1))).toEqual([
      {
        unit: 'backup.service',
        description: 'Backup = nightly',
        state: 'failed',
        detail: 'failed (exit-code)',
        at_boot: 'static',
        pid: null,
        memory: null,
        since: null,
      },
      {
        unit: 'nginx.service',
        description: 'A high performance web server',
        state: 'active',
        detail: 'running',
        at_boot: 'enabled',
        pid: 812,
        memory: 9_437_184,
        since: '2026-01-01T00:00:12.000Z',
      },
    ])
    const journal = [
      {
        __REALTIME_TIMESTAMP: '1767225600000000',
        PRIORITY: '3',
        SYSLOG_IDENTIFIER: 'sshd',
        _PID: '7',
        MESSAGE: 'failed',
      },
      { __REALTIME_TIMESTAMP: '1767225601000000', _SYSTEMD_UNIT: 'x.service', MESSAGE: [104, 105] },
      { __REALTIME_TIMESTAMP: '1767225602000000', MESSAGE: null },
    ]
    expect(parseJournal(`${journal.map((entry) => JSON.stringify(entry)).join('\n')}\n`)).toMatchObject([
      { at: '2026-01-01T00:00:00.000Z', priority: 'err', source: 'sshd', pid: 7, message: 'failed' },
      { priority: 'info', source: 'x.service', pid: null, message: 'hi' },
      { message: '[too long for journalctl to show]' },
    ])
  })
})
