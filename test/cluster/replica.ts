import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { compileCache } from '../stage/compile-cache.ts'
import type { Link } from './link.ts'

const MAIN = join(import.meta.dirname, '../../server/main.ts')
const CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.mjs')).href
const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16', '--import', CLOCK]
/** Its processes are numbered by themselves: the service there is number 1 of a machine of the same name. */
const NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc']
const START_LIMIT_MS = 120_000

export interface ReplicaOptions {
  readonly name: number
  readonly folder: string
  readonly port: number
  readonly env: Readonly<Record<string, string>>
  readonly database: Link
  readonly store: Link
  /** In a PID namespace of its own. */
  readonly apart: boolean
}

/** One process of the service, with its own data folder and its own network to the database and the store. */
export class Replica {
  readonly name: number
  readonly folder: string
  readonly port: number
  readonly database: Link
  readonly store: Link
  readonly env: Readonly<Record<string, string>>
  readonly #apart: boolean
  #child: ChildProcess | null = null
  #pid = 0
  #output: string[] = []

  constructor({ name, folder, port, env, database, store, apart }: ReplicaOptions) {
    Object.assign(this, { name, folder, port, database, store })
    this.name = name
    this.folder = folder
    this.port = port
    this.database = database
    this.store = store
    this.env = { ...env, REEVE_DATA_DIR: folder, REEVE_PORT: String(port) }
    this.#apart = apart
  }

  /** Of the service itself, as this machine numbers it. */
  get pid(): number {
    return this.#pid
  }

  /** What it said last, for a finding. */
  get lastWords(): string {
    return this.#output.slice(-8).join('\n')
  }

  /** Starts it; resolves when it listens, rejects with the end of its output when it does not. */
  async start(): Promise<void> {
    const [command, ...words] = [...(this.#apart ? NAMESPACE : []), process.execPath, ...FLAGS, MAIN]
    const child = spawn(command, words, {
      env: { PATH: process.env.PATH, HOME: this.folder, ...compileCache, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    // A message to a process that is gone.
    child.on('error', () => undefined)
    const reap = (): boolean => child.kill('SIGKILL')
    process.once('exit', reap)
    const log = createWriteStream(`${this.folder}.log`, { flags: 'a' })
    const output: string[] = []
    this.#output = output
    await new Promise<void>((fulfil, reject) => {
      const fail = (reason: string): void => {
        child.kill('SIGKILL')
        reject(new Error(`Replica ${this.name} ${reason}:\n${output.slice(-20).join('\n')}`))
      }
      const limit = setTimeout(() => fail(`did not listen within ${START_LIMIT_MS} ms`), START_LIMIT_MS)
      child.once('close', (code) => {
        process.off('exit', reap)
        clearTimeout(limit)
        log.end()
        fail(`ended with code ${code}`)
      })
      for (const stream of [child.stdout!, child.stderr!])
        createInterface({ input: stream }).on('line', (line) => {
          log.write(`${line}\n`)
          output.push(line)
          if (output.length > 100) output.shift()
          if (!line.includes('"msg":"listening"')) return
          clearTimeout(limit)
          this.#pid = this.#apart ? onlyChild(child.pid!) : child.pid!
          fulfil()
        })
    })
  }

  get running(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.running) return
    try {
      process.kill(this.#pid, signal)
    } catch {
      // It has ended by itself.
    }
  }

  /** Sends the signal and resolves with its exit code, null when the signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    if (child === null || !this.running) return child?.exitCode ?? null
    // With all that it had to say.
    const gone = once(child, 'close')
    this.signal(signal)
    await gone
    return child.exitCode
  }

  /** Milliseconds by which its clock is ahead, or behind. */
  shiftClock(ahead: number): void {
    if (this.#child?.connected === true) this.#child.send({ clock: ahead }, () => undefined)
  }
}

function onlyChild(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ')[0])
}
