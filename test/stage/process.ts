import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { testEnvironment, type AppOptions } from './app.ts'
import { compileCache } from './compile-cache.ts'
import { openPeople, type People } from './people.ts'
import { httpsRequest } from './servers/https-request.ts'
import { until } from './wait.ts'

const MAIN = join(import.meta.dirname, '../../server/main.ts')
const START_LIMIT_MS = 120_000
const CLOCK = pathToFileURL(join(import.meta.dirname, '../cluster/shifted-clock.mjs')).href
/** Its processes are numbered by themselves: the service there is number 1 of a machine of the same name. */
const NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc']

export interface ProcessOptions extends AppOptions {
  /** Folder of another version. */
  readonly program?: string
  /** Milliseconds by which its clock is ahead; negative: behind. */
  readonly clock?: number
  /** In a PID namespace of its own; see canStandApart. */
  readonly apart?: boolean
}

interface Running {
  readonly child: ChildProcess
  /** Of the service itself, as this machine numbers it. */
  readonly pid: number
  readonly url: string
  readonly setupLink: string | null
}

export interface TestProcess extends People, AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Of the last start; null when it found an administrator. */
  readonly setupLink: string | null
  readonly dataFolder: string
  /** Every line of the log of every start, parsed. */
  readonly log: readonly Record<string, unknown>[]
  /** Sends the signal (default SIGKILL) and resolves with the exit code, null when the signal ended the process. */
  kill(signal?: NodeJS.Signals): Promise<number | null>
  /** Starts again on the same data folder, database and port: clients stay signed in. Kills what still runs. */
  restart(env?: Record<string, string>): Promise<void>
}

/** Starts server/main.ts; resolves when it listens, rejects with its output when it does not. */
async function launch(
  env: Record<string, string>,
  log: Record<string, unknown>[],
  { main, clock, apart }: { readonly main: string; readonly clock: number; readonly apart: boolean },
): Promise<Running> {
  const shifted = clock === 0 ? [] : ['--import', CLOCK]
  const words = [
    ...(apart ? NAMESPACE : []),
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    ...shifted,
    main,
  ]
  const child = spawn(words[0]!, words.slice(1), {
    env: {
      PATH: process.env.PATH,
      HOME: env.REEVE_DATA_DIR,
      TMPDIR: tmpdir(),
      ...compileCache,
      CLOCK_AHEAD: String(clock),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test process that dies must not leave servers behind.
  const reap = (): boolean => child.kill('SIGKILL')
  process.once('exit', reap)
  child.once('exit', () => process.off('exit', reap))

  const output: string[] = []
  let setupLink: string | null = null
  const url = await new Promise<string>((fulfil, reject) => {
    const fail = (reason: string): void => {
      child.kill('SIGKILL')
      reject(new Error(`The server ${reason}:\n${output.join('\n')}`))
    }
    const limit = setTimeout(() => fail(`did not listen within ${START_LIMIT_MS} ms`), START_LIMIT_MS)
    child.once('error', reject)
    // After the output is read to its end, so that the error can show it.
    child.once('close', (code) => {
      clearTimeout(limit)
      fail(`ended with code ${code}`)
    })
    createInterface({ input: child.stderr }).on('line', (line) => output.push(line))
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.push(line)
      const entry = parseLine(line)
      log.push(entry)
      if (typeof entry.setup_link === 'string') setupLink = entry.setup_link
      if (entry.msg !== 'listening' || typeof entry.url !== 'string') return
      clearTimeout(limit)
      fulfil(entry.url)
    })
  })
  // The link is a later line of the log. While it is needed, every page leads to it.
  const location = url.startsWith('https:')
    ? (await httpsRequest(url, { trust: 'anybody' })).headers.location
    : (await fetch(url, { redirect: 'manual' })).headers.get('location')
  if (location?.startsWith('/setup')) await until(() => setupLink, { what: 'the log shows the setup link' })
  return { child, pid: apart ? onlyChild(child.pid!) : child.pid!, url, setupLink }
}

function onlyChild(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ')[0])
}

/** Whether a process can have a PID namespace of its own here. */
export function canStandApart(): boolean {
  return spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true'], { stdio: 'ignore' }).status === 0
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return { msg: line }
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = new Promise<number | null>((done) => child.once('exit', done))
  child.kill(signal)
  return exited
}

/** The service as a process of its own, for tests that kill it. Dispose it: it is killed and its folder removed. */
export async function startProcess(options: ProcessOptions = {}): Promise<TestProcess> {
  const main = options.program === undefined ? MAIN : join(options.program, 'server/main.ts')
  const dataFolder = await mkdtemp(join(tmpdir(), 'reeve-process-'))
  // What runs in a sandbox ends with it, but a moment later.
  const removeFolder = (): Promise<void> => rm(dataFolder, { recursive: true, force: true, maxRetries: 5 })
  const env = { REEVE_LOG_LEVEL: 'info', ...(await testEnvironment(dataFolder, options)) }
  const log: Record<string, unknown>[] = []
  const how = { main, clock: options.clock ?? 0, apart: options.apart ?? false }
  let running = await launch(env, log, how).catch(async (error: unknown) => {
    await removeFolder()
    throw error
  })
  const port = Number(new URL(running.url).port)
  return {
    ...openPeople(
      () => running.url,
      () => running.setupLink,
    ),
    get url() {
      return running.url
    },
    get pid() {
      return running.pid
    },
    get setupLink() {
      return running.setupLink
    },
    port,
    dataFolder,
    log,
    kill: (signal = 'SIGKILL') => end(running.child, signal),
    async restart(more = {}) {
      await end(running.child, 'SIGKILL')
      running = await launch({ ...env, REEVE_PORT: String(port), ...more }, log, how)
    },
    async [Symbol.asyncDispose]() {
      await end(running.child, 'SIGKILL')
      await removeFolder()
    },
  }
}
