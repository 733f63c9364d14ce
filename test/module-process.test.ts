import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readProcessTable } from '../server/modules/process/process-table.ts'
import { LEVELS, LIMITS, NODE_LEVEL, NOTHING, openStage, runs } from './stage/modules/sandbox-stage.ts'
import { until } from './stage/wait.ts'
import { saying } from './stage/saying.ts'

const MIB = 1024 * 1024
let stage: Awaited<ReturnType<typeof openStage>>

/** Processes of this machine whose command line has the text in it. */
function withCommandLine(text: string): number[] {
  return [...readProcessTable().keys()].filter((pid) => {
    try {
      return runs(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  })
}

/** Holds 340 MiB in a file that is on no disk and not mapped; the number of the call differs by processor. */
const HOARD_IN_MEMFD = `
  my $fd = syscall(${process.arch === 'arm64' ? 279 : 319}, my $name = "hoard", 0);
  open(my $file, ">&=", $fd) or die;
  my $mebibyte = "x" x 1048576;
  print $file $mebibyte for 1 .. 340;
  $file->flush();
  sleep 60;
`
/** Six processes that see the same 160 MiB. */
const SHARED_BY_SIX = `
  my $much = "x" x (160 * 1048576);
  for (1 .. 5) { last unless fork }
  sleep 60;
`
const OVER_4_MIB = 'It was stopped because its files reached their limit of 4 MiB.'

describe.each(LEVELS)('a process at the level %s', (level) => {
  beforeEach(async () => {
    stage = await openStage(level)
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  test('answers, and ends with its input', async () => {
    const agent = await stage.start()
    expect(await agent.ask('self')).toMatchObject({ cwd: stage.dataFolder() })
    const status = agent.link.process()!
    expect(runs(status.pid)).toBe(true)
    expect(status.memory).toBeGreaterThan(MIB)
    const { TMPDIR } = (await agent.ask('env')) as Record<string, string>
    await agent.link.close()
    expect(await agent.link.gone).toEqual({ code: 0, signal: null, reason: saying(/^It was stopped\.$/) })
    expect(agent.link.process()).toBeNull()
    expect(existsSync(dirname(TMPDIR!))).toBe(false)
    await expect(agent.ask('self')).rejects.toThrow('The module is gone.')
  })

  test.each([
    ['exit', { code: 0 }, { code: 0, signal: null, reason: 'It exited by itself.' }],
    ['exit', { code: 7 }, { code: 7, signal: null, reason: 'It exited by itself with code 7.' }],
    ['kill', { pid: 'own', signal: 'SIGKILL' }, { code: null, signal: 'SIGKILL', reason: /SIGKILL/ }],
  ])('tells how it ended: %s %o', async (deed, params, exit) => {
    const agent = await stage.start()
    const { pid } = (await agent.ask('self')) as { pid: number }
    expect(await agent.ask(deed, 'pid' in params ? { ...params, pid } : params)).toBe('Error: gone')
    const { reason, ...rest } = await agent.link.gone
    expect(rest).toEqual({ code: exit.code, signal: exit.signal })
    if (typeof exit.reason === 'string') expect(reason.toString()).toBe(exit.reason)
    else expect(reason.toString()).toMatch(exit.reason)
    await agent.link.close()
  })

  test('that ignores every request to end is killed', async () => {
    const { link, heard } = await stage.start({ script: 'ignore-stop' })
    await until(() => heard.length)
    await link.close()
    expect((await link.gone).signal).toBe('SIGKILL')
    expect(link.stderr().join()).toContain('no SIGTERM')
    expect(withCommandLine(join(stage.bundleFolder, 'ignore-stop.mjs'))).toEqual([])
  })

  test('takes along what it started, daemons too', async () => {
    const agent = await stage.start({ grants: { commands: ['sleep'] } })
    const mark = join(stage.folder, 'mark')
    const script = `sleep 60 # ${mark}\nexit`
    await agent.ask('start', { command: 'sh', args: ['-c', script] })
    await agent.ask('start', { command: 'sh', args: ['-c', script], apart: true })
    // Twice removed: its parent is gone, so it hangs on nothing of ours.
    await agent.ask('start', { command: 'sh', args: ['-c', `setsid sh -c '${script}' & exit`], apart: true })
    await until(() => withCommandLine(mark).length >= 3)
    await agent.link.close()
    expect(withCommandLine(mark)).toEqual([])
  })

  test('that takes too much memory is stopped', async () => {
    const agent = await stage.start({ limits: { memory_bytes: 200 * MIB } })
    for (let i = 0; i < 4; i += 1) void agent.ask('allocate', { mebibytes: 64 })
    expect((await agent.link.gone).reason.toString()).toBe(
      'It was stopped because it reached its memory limit of 200 MiB.',
    )
  })

  test('cannot hide memory in files that are on no disk', async () => {
    const agent = await stage.start({ limits: { memory_bytes: 300 * MIB }, grants: { commands: ['perl'] } })
    await agent.ask('start', { command: 'perl', args: ['-e', HOARD_IN_MEMFD] })
    expect((await agent.link.gone).reason.toString()).toBe(
      'It was stopped because it reached its memory limit of 300 MiB.',
    )
  })

  test('pays once for memory that its processes share', async () => {
    const agent = await stage.start({ limits: { memory_bytes: 500 * MIB }, grants: { commands: ['perl'] } })
    await agent.ask('start', { command: 'perl', args: ['-e', SHARED_BY_SIX] })
    const { link } = agent
    await until(() => link.process() === null || (link.process()!.processes >= 6 && link.process()!.memory > 150 * MIB))
    expect(link.process()?.memory).toBeLessThan(400 * MIB)
    await link.close()
    expect((await link.gone).reason.toString()).toBe('It was stopped.')
  })

  test('that starts too many processes is stopped, and all of them', async () => {
    if (level === NODE_LEVEL) return
    const { link } = await stage.start({ script: 'fork-bomb' })
    const before = await until(() => (link.process()?.processes ?? 0) > 1 || link.process() === null)
    expect(before).toBe(true)
    expect((await link.gone).reason.toString()).toMatch(/^It was stopped: it had \d+ processes, and the limit is 64\.$/)
    expect(withCommandLine(join(stage.bundleFolder, 'fork-bomb.mjs'))).toEqual([])
  })

  test('that fills its folder is stopped, and one file has an end', async () => {
    const agent = await stage.start({ limits: { disk_bytes: 4 * MIB } })
    const text = 'x'.repeat(3 * MIB)
    expect(await agent.ask('write', { path: join(stage.dataFolder(), 'a'), text: text + text })).toBe('Error: EFBIG')
    expect(await agent.ask('write', { path: join(stage.dataFolder(), 'b'), text })).toBeNull()
    await agent.link.close()
    const second = await stage.start({ limits: { disk_bytes: 4 * MIB } })
    expect((await second.link.gone).reason.toString()).toBe(OVER_4_MIB)
  })

  test('that fills its folder later is stopped as well', async () => {
    const agent = await stage.start({ name: 'late', limits: { disk_bytes: 4 * MIB }, grants: { commands: ['sleep'] } })
    const before = agent.link.process()!.processes
    await agent.ask('start', { command: 'sleep', args: ['60'] })
    // Until it was looked at, with an empty folder.
    await until(() => agent.link.process()!.processes > before)
    const text = 'x'.repeat(3 * MIB)
    for (const name of ['a', 'b']) await agent.ask('write', { path: join(stage.dataFolder('late'), name), text })
    expect((await agent.link.gone).reason.toString()).toBe(OVER_4_MIB)
  })

  test('that spins delays nobody', async () => {
    const { link, heard } = await stage.start({ script: 'spin' })
    const other = await stage.start({ name: 'other' })
    await until(() => heard.length)
    for (let i = 0; i < 50; i += 1) await other.ask('self')
    // It spins to the end: had it been in the way, no answer would have come before.
    expect(link.process()).not.toBeNull()
    await link.close()
    expect((await link.gone).signal).toMatch(/SIGTERM|SIGKILL/)
  })
})

describe('standard output', () => {
  beforeEach(async () => {
    stage = await openStage(LEVELS[0]!)
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  test('lines that are no messages are counted and shown', async () => {
    const agent = await stage.start()
    await agent.ask('stdout', { text: 'Listening …\n{"half": \n[1]\n42\n{"jsonrpc":"1.0"}\n\n' })
    await agent.ask('self')
    expect(agent.link.process()!.noise_lines).toBe(5)
    expect(agent.link.stderr()).toContain('stdout: Listening …')
  })

  test('messages may come in pieces, many at once, and with Windows line ends', async () => {
    const agent = await stage.start()
    await agent.ask('stdout', { text: '{"jsonrpc":"2.0","method":"a"}\r\n{"jsonrpc":"2.0","method":"b"}\n' })
    void agent.ask('stdout', { text: `{"jsonrpc":"2.0","method":"${'c'.repeat(3 * MIB)}"}\n` })
    await until(() => agent.heard.length === 3)
    expect((agent.heard[0] as { method: string }).method).toBe('a')
    expect((agent.heard.at(-1) as { method: string }).method).toHaveLength(3 * MIB)
  })

  test.each(['whole', 'endless'])('a message of 11 MiB (%s) stops the module', async (kind) => {
    const { link } = await stage.start({ script: 'long-line', args: [kind] })
    expect((await link.gone).reason.toString()).toBe('It sent a message of more than 10 MiB.')
  })

  test('a flood of noise stops the module', async () => {
    const { link } = await stage.start({ script: 'flood-stdout', args: ['noise'] })
    expect((await link.gone).reason.toString()).toBe(
      'It wrote more than 16 MiB to standard output without sending a message.',
    )
    expect(link.stderr().length).toBeLessThanOrEqual(200)
  })

  test('a flood of messages neither fills our memory nor blocks us', async () => {
    const { link, heard } = await stage.start({ script: 'flood-stdout' })
    const other = await stage.start({ name: 'other' })
    await until(() => heard.length > 100)
    const count = heard.length
    const before = process.memoryUsage().rss
    for (let i = 0; i < 50; i += 1) {
      await other.ask('self')
      heard.length = 0
    }
    // It floods on: had it been in the way, no answer would have come.
    await until(() => heard.length > 100)
    expect(count).toBeGreaterThan(100)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB)
    await link.close()
  })

  test('a module that does not read what it asked for is stopped', async () => {
    const { link } = await stage.start({ script: 'never-reads' })
    const answer = 'x'.repeat(1000)
    link.transport.onmessage = () =>
      void link.transport.send({ jsonrpc: '2.0', id: 1, result: { answer } }).catch(() => undefined)
    expect((await link.gone).reason.toString()).toBe('It does not read what it is sent.')
  })

  test('the last words of a module are heard', async () => {
    const agent = await stage.start()
    void agent.ask('part', { bytes: 5 * MIB })
    expect(await agent.link.gone).toMatchObject({ code: 0 })
    expect((agent.heard.at(-1) as { method: string }).method).toHaveLength(5 * MIB)
  })

  test('nothing is thrown when the module is gone', async () => {
    const agent = await stage.start()
    void agent.ask('exit')
    const sends = Array.from({ length: 200 }, () => agent.ask('self').catch((error: Error) => error.message))
    const answers = new Set(await Promise.all(sends))
    expect([...answers].every((answer) => answer === 'Error: gone' || answer === 'The module is gone.')).toBe(true)
  })
})

describe('standard error', () => {
  beforeEach(async () => {
    stage = await openStage(LEVELS[0]!)
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  test('shows control characters instead of obeying them', async () => {
    const agent = await stage.start()
    await agent.ask('stderr', { text: '\u001b[2Jcleared\u0007 \u202eevil\r\nnext\tcolumn\n' })
    const lines = await until(() => agent.link.stderr().length >= 2 && agent.link.stderr())
    expect(lines).toEqual(['\\u{1b}[2Jcleared\\u{7} \\u{202e}evil', 'next    column'])
  })

  test('keeps the last 200 lines of 2,000 characters', async () => {
    const agent = await stage.start()
    await agent.ask('stderr', { text: `${'long'.repeat(1000)}\n` })
    await until(() => agent.link.stderr().length === 1)
    expect(agent.link.stderr()[0]).toHaveLength(2000)
    await agent.ask('stderr', { text: Array.from({ length: 300 }, (_, i) => `line ${i}\n`).join('') })
    await until(() => agent.link.stderr().at(-1) === 'line 299')
    expect(agent.link.stderr()).toHaveLength(200)
    expect(agent.link.stderr()[0]).toBe('line 100')
  })

  test('is not looked at when there is too much of it', async () => {
    const agent = await stage.start()
    await agent.ask('stderr', { text: 'noise '.repeat(2 * MIB) })
    const line = await until(() => agent.link.stderr().find((each) => each.includes('left out')))
    expect(line).toMatch(/^\[\d+ KiB were left out: too much at once\]$/)
  })
})

test('a program that is not there is a sentence, and leaves nothing', async () => {
  stage = await openStage(LEVELS[0]!)
  const temporary = join(stage.folder, 'temporary')
  mkdirSync(temporary)
  vi.stubEnv('TMPDIR', temporary)
  const start = (command: string) =>
    stage.sandbox.start({ ...stage.launch({}), command }, NOTHING, LIMITS, new AbortController().signal)
  await expect(start('no-such-program')).rejects.toThrow(
    'The program no-such-program is not installed on this machine.',
  )
  await expect(start('./missing')).rejects.toThrow('The program ./missing does not exist or cannot be executed.')
  const link = await start('node')
  expect(readdirSync(temporary)).toHaveLength(1)
  await link.close()
  expect(readdirSync(temporary)).toEqual([])
  vi.unstubAllEnvs()
  await stage[Symbol.asyncDispose]()
})
