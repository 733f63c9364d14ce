import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { copyFile, link, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Findings } from './findings.ts'
import type { Machine } from './machine.ts'
import { isIsolated, killReader, startReader, type ReaderProgram } from './start-reader.ts'

export interface ReadersOptions {
  readonly program: ReaderProgram
  /** What the machine offers; with null, readers run as plain processes. */
  readonly machine: Machine | null
  /** Each reader has a folder in here. */
  readonly folder: string
  /**
   * A folder with the compiled programs of readers, which they can only read. Filled once by a reader that has seen no
   * file.
   */
  readonly programs?: string
  /** Milliseconds after which an idle reader ends. */
  readonly idle_ms: number
  /** How many idle readers are kept. */
  readonly spare: number
}

/** A process for one job. `room` is null when it runs as a plain process, which sees every file. */
export interface Reader {
  readonly child: ChildProcess
  readonly room: Room | null
}

/** The data an isolated reader sees: files placed in `input`, which it can only read, and its folder `work`. */
export interface Room {
  readonly input: string
  readonly work: string
}

interface Resting {
  readonly reader: Reader
  /** Whose bytes it has read; null if it has read none. */
  readonly owner: string | null
  readonly timer: NodeJS.Timeout
}

const PREFIX = 'work-room-'

/**
 * Processes that read untrusted bytes, started when there is work and ended when there is none. A process that has read
 * bytes of one owner never gets those of another, so whatever a hostile file does to it affects only that file's owner.
 */
export class Readers implements AsyncDisposable {
  readonly #options: ReadersOptions
  readonly #resting: Resting[] = []
  readonly #children = new Set<ChildProcess>()
  readonly #leaving = new Set<Promise<void>>()
  #compiled = false
  #compiling: ChildProcess | null = null
  #closed = false

  constructor(options: ReadersOptions) {
    this.#options = options
  }

  /** Process ids; for isolated readers, that of the sandbox. */
  pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  /** Starts a reader for a job expected soon, unless one is already waiting. */
  warm(started?: (child: ChildProcess) => void): void {
    if (this.#closed || this.#resting.some(({ owner, reader }) => owner === null && !isOver(reader.child))) return
    const alive = [...this.#children].filter(({ killed }) => !killed).length
    if (alive > this.#options.spare) return
    const reader = this.#start()
    started?.(reader.child)
    this.#rest(reader, null)
  }

  /** Returns a reader for a job of this owner at once. */
  take(owner: string): Reader {
    for (const wanted of [owner, null]) {
      for (let at = this.#find(wanted); at >= 0; at = this.#find(wanted)) {
        const [{ reader, timer }] = this.#resting.splice(at, 1) as [Resting]
        clearTimeout(timer)
        if (!isOver(reader.child)) return reader
      }
    }
    return this.#start()
  }

  /** Takes a reader back after its job, for reuse by `owner`; null ends it. */
  async release(reader: Reader, owner: string | null): Promise<void> {
    if (owner === null) return this.end(reader)
    if (reader.room !== null) await Promise.all([empty(reader.room.input), empty(reader.room.work)])
    this.#rest(reader, owner)
  }

  end({ child }: Reader): void {
    killReader(child)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const children = this.#compiling === null ? this.#children : [...this.#children, this.#compiling]
    for (const { timer } of this.#resting.splice(0)) clearTimeout(timer)
    await Promise.all(
      [...children].map(
        (child) =>
          new Promise<void>((resolve) => {
            child.once('exit', () => resolve())
            if (!killReader(child)) resolve()
          }),
      ),
    )
    await Promise.all(this.#leaving)
  }

  #find(wanted: string | null): number {
    return this.#resting.findLastIndex(({ owner }) => owner === wanted)
  }

  #start(): Reader {
    const { machine, folder, programs } = this.#options
    const program = { ...this.#options.program, programs }
    const findings = machine === null ? null : machine.now()
    if (findings === null || !isIsolated(findings))
      return { child: this.#track(startReader(findings, program, { read: [], write: [] })), room: null }
    const own = join(folder, `${PREFIX}${randomUUID()}`)
    const room = { input: join(own, 'input'), work: join(own, 'work') }
    for (const path of [room.input, room.work]) mkdirSync(path, { recursive: true, mode: 0o700 })
    if (programs !== undefined) this.#compile(findings, program, programs)
    const read = [room.input, ...(programs === undefined ? [] : [programs])]
    return { child: this.#track(startReader(findings, program, { read, write: [room.work] }), own), room }
  }

  /** Has a process without any file load everything and cache the compiled code, so that later ones start faster. */
  #compile(findings: Findings, program: ReaderProgram, programs: string): void {
    if (this.#compiled) return
    this.#compiled = true
    mkdirSync(programs, { recursive: true, mode: 0o700 })
    const child = startReader(findings, program, { read: [], write: [programs] })
    this.#compiling = child
    child.send({ kind: 'compile' }, () => undefined)
    child.on('error', () => undefined)
  }

  #track(child: ChildProcess, own?: string): ChildProcess {
    this.#children.add(child)
    child.once('exit', () => {
      this.#children.delete(child)
      if (own === undefined) return
      // The processes in the sandbox end with it, but not before.
      const left = rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined)
      this.#leaving.add(left)
      void left.then(() => this.#leaving.delete(left))
    })
    // A process that fails to start emits this instead of `exit`.
    child.on('error', () => child.emit('exit'))
    return child
  }

  #rest(reader: Reader, owner: string | null): void {
    if (this.#closed || isOver(reader.child)) return this.end(reader)
    const timer = setTimeout(() => this.#dismiss(reader), this.#options.idle_ms).unref()
    this.#resting.push({ reader, owner, timer })
    if (this.#resting.length > this.#options.spare) this.#dismiss(this.#resting[0]!.reader)
  }

  #dismiss(reader: Reader): void {
    const at = this.#resting.findIndex((each) => each.reader === reader)
    if (at < 0) return
    clearTimeout(this.#resting.splice(at, 1)[0]!.timer)
    this.end(reader)
  }
}

/** Whether a reader has already ended and will send nothing more. */
export function isOver({ exitCode, signalCode, connected }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || !connected
}

/** Places a file in a room for reading; returns its path there. */
export async function layInto(room: Room, path: string): Promise<string> {
  const folder = join(room.input, randomUUID())
  await mkdir(folder)
  const there = join(folder, basename(path))
  // A hard link; a copy if it is on another file system.
  await link(path, there).catch(() => copyFile(path, there))
  return there
}

/**
 * Moves a file that a reader wrote to where the service keeps it.
 * @throws when it isn't a plain file: a link could point anywhere
 */
export async function takeOut(path: string, to: string): Promise<void> {
  await rename(path, to)
  // Checked only after the reader can no longer change it.
  if ((await lstat(to)).isFile()) return
  await rm(to, { recursive: true, force: true })
  throw new Error('A reader left something else than a file')
}

async function empty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  await Promise.all(
    names.map((name) => rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined)),
  )
}
