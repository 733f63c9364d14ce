import { spawn, type ChildProcess } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CommandWatch } from '../server/modules/process/command-watch.ts'
import { ParentWatch } from '../server/modules/process/parent-watch.ts'
import { readProcess } from '../server/modules/process/process-table.ts'
import { sweepStale } from '../server/modules/process/stale-processes.ts'
import { LEVELS, marked, openStage, runs } from './stage/modules/sandbox-stage.ts'
import { until } from './stage/wait.ts'

const SERVICE = join(import.meta.dirname, 'stage/modules/sandbox-service.ts')
let folder = ''
let service: ChildProcess | null = null

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-orphans-')))
  mkdirSync(join(folder, 'bundle'))
  copyFileSync(join(import.meta.dirname, 'hostile-modules/agent.js'), join(folder, 'bundle/agent.mjs'))
  symlinkSync(process.execPath, join(folder, 'bundle/program'))
})
afterEach(() => {
  service?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** The module, what it started, and what its sandbox consists of; not the service, whose command line has the mark too. */
const leftBehind = (mark: string): number[] => marked(mark).filter((pid) => pid !== service?.pid)

/** `openFile` is open in the service, in a way that its children would have it open too. */
async function startService(level: string, mark: string, openFile?: string): Promise<ChildProcess> {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', SERVICE, folder, level, mark]
  const withFile = ['bash', '-c', `exec 30<"$0"; exec "$@"`, openFile ?? '', ...command]
  const [program = '', ...args] = openFile === undefined ? command : withFile
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  service = child
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', () => resolve())
    child.once('exit', (code) => reject(new Error(`The service ended with code ${code}.`)))
  })
  return child
}

describe.each(LEVELS)('a service that is killed at the level %s', (level) => {
  test('leaves no process behind', async () => {
    const mark = `mark-${folder}`
    const child = await startService(level, mark)
    await until(() => leftBehind(mark).length >= 4, { what: 'the module and what it started run' })
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
    await until(() => leftBehind(mark).length === 0, { what: 'all of them are gone' })

    // What it noted is cleaned up by the next service.
    const pids = join(folder, 'pids')
    expect(readdirSync(pids)).toHaveLength(1)
    const { temporary } = JSON.parse(readFileSync(join(pids, readdirSync(pids)[0]!), 'utf8')) as { temporary: string }
    await sweepStale(pids)
    expect(readdirSync(pids)).toEqual([])
    expect(existsSync(temporary)).toBe(false)
  })
})

describe.each(LEVELS)('a service at the level %s', (level) => {
  test.skipIf(!existsSync('/bin/bash'))('hands on no file that was open before it started', async () => {
    const mark = `mark-${folder}`
    const secret = join(folder, 'secret')
    writeFileSync(secret, '')
    const child = await startService(level, mark, secret)
    const opened = (pid: number) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
        } catch {
          return []
        }
      })
    expect(opened(child.pid!)).toContain(secret)
    const pids = await until(() => leftBehind(mark).length >= 4 && leftBehind(mark))
    for (const pid of pids) expect(opened(pid)).not.toContain(secret)
  })
})

describe('the next service', () => {
  test('ends what the one before left running', async () => {
    const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    await new Promise((resolve) => left.once('spawn', resolve))
    note('left', { pid: left.pid!, started: readProcess(left.pid!)!.started })
    expect(await sweepStale(join(folder, 'pids'))).toBe(1)
    expect(runs(left.pid!)).toBe(false)
    expect(readdirSync(join(folder, 'pids'))).toEqual([])
  })

  test('ends a command that was left running, and knows by its call which one that was', async () => {
    // The shell goes, as when it alone was killed; its child is in the group.
    const left = spawn('sh', ['-c', "trap '' TERM HUP; sleep 60 & echo $!; sleep 60"], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const child = await new Promise<number>((resolve) => left.stdout.once('data', (data) => resolve(Number(data))))
    const command = { tool_call_id: 'call-1', name: 'sh' }
    note('left', { pid: left.pid!, started: readProcess(left.pid!)!.started, temporary: null, command })
    left.kill('SIGKILL')
    const warnings: unknown[] = []
    const log = { warn: (about: unknown) => warnings.push(about) }
    using parentWatch = new ParentWatch(process.execPath, log)
    const commands = await CommandWatch.open({ folder: join(folder, 'pids'), parentWatch, log })
    expect(runs(child)).toBe(false)
    expect(readdirSync(join(folder, 'pids'))).toEqual([])
    expect(commands.ended('call-1')).toMatchObject({ name: 'sh', pid: left.pid })
    expect(commands.ended('call-2')).toBe(null)
    expect(warnings).toMatchObject([{ commands: [{ name: 'sh', pid: left.pid, running: true }] }])
  })

  test('leaves alone what a finished command left in the background, and notes nothing of it', async () => {
    const log = { warn: () => undefined }
    using parentWatch = new ParentWatch(process.execPath, log)
    const commands = await CommandWatch.open({ folder: join(folder, 'pids'), parentWatch, log })
    const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    await new Promise((resolve) => left.once('spawn', resolve))
    const release = commands.watch(left.pid!, { tool_call_id: 'call-1', name: 'sleep' })
    expect(readdirSync(join(folder, 'pids'))).toHaveLength(1)
    release()
    expect(readdirSync(join(folder, 'pids'))).toEqual([])
    const next = await CommandWatch.open({ folder: join(folder, 'pids'), parentWatch, log })
    expect(next.ended('call-1')).toBe(null)
    expect(runs(left.pid!)).toBe(true)
    left.kill('SIGKILL')
  })

  test('ends no process that got the number later, nor one of another service that runs', async () => {
    const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    await new Promise((resolve) => other.once('spawn', resolve))
    const pid = other.pid!
    const { started } = readProcess(pid)!
    note('later', { pid, started: '1' })
    note('before-reboot', { pid, started, boot: 'another' })
    expect(await sweepStale(join(folder, 'pids'))).toBe(0)
    expect(readdirSync(join(folder, 'pids'))).toEqual([])
    note('running', { pid, started, service: { pid: process.pid, started: readProcess(process.pid)!.started } })
    expect(await sweepStale(join(folder, 'pids'))).toBe(0)
    expect(readdirSync(join(folder, 'pids'))).toEqual(['running.json'])
    expect(runs(pid)).toBe(true)
    other.kill('SIGKILL')
  })

  test('takes no damaged file for an order', async () => {
    const precious = join(folder, 'precious')
    mkdirSync(precious)
    note('bad', { pid: 1, started: '' })
    note('worse', { pid: -1, started: '' })
    note('folder', { pid: 999_999, started: '1', temporary: join(precious, 'tmp') })
    writeFileSync(join(folder, 'pids/broken.json'), '{"pid":')
    expect(await sweepStale(join(folder, 'pids'))).toBe(0)
    expect(readdirSync(join(folder, 'pids'))).toEqual([])
    expect(existsSync(precious)).toBe(true)
    expect(await sweepStale(join(folder, 'nothing-here'))).toBe(0)
  })
})

test('a module that was stopped leaves no note', async () => {
  await using stage = await openStage(LEVELS[0]!, { pids: true })
  const { link } = await stage.start()
  expect(readdirSync(join(stage.folder, 'pids'))).toHaveLength(1)
  await link.close()
  expect(readdirSync(join(stage.folder, 'pids'))).toEqual([])
})

function note(name: string, fields: Record<string, unknown>): void {
  mkdirSync(join(folder, 'pids'), { recursive: true })
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const file = { boot, service: { pid: 999_999, started: '1' }, temporary: '/nowhere/tmp', ...fields }
  writeFileSync(join(folder, 'pids', `${name}.json`), JSON.stringify(file))
}
