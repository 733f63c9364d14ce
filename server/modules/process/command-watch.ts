import { mkdirSync, rmSync } from 'node:fs'
import type { Log } from '../../kernel/log.ts'
import type { ParentWatch } from './parent-watch.ts'
import { readProcess } from './process-table.ts'
import { type NotedCommand, sweepCommands, writePidFile } from './stale-processes.ts'

/** By the id of the call. */
type Ended = ReadonlyMap<string, { readonly name: string; readonly pid: number }>

/** Ensures that commands run on the machine by calls end with the service, however it ends. */
export class CommandWatch {
  readonly #folder: string
  readonly #parentWatch: ParentWatch
  readonly #log: Pick<Log, 'warn'>
  readonly #ended: Ended

  private constructor(options: CommandWatchOptions, ended: Ended) {
    this.#folder = options.folder
    this.#parentWatch = options.parentWatch
    this.#log = options.log
    this.#ended = ended
  }

  /** First ends commands left running by services that are gone, according to the notes in `folder`. */
  static async open(options: CommandWatchOptions): Promise<CommandWatch> {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 })
    const swept = await sweepCommands(options.folder)
    // Arguments are never logged: they may contain secrets.
    if (swept.length > 0) options.log.warn({ commands: swept }, 'ended commands of a service that was killed')
    return new CommandWatch(options, new Map(swept.map((command) => [command.tool_call_id, command])))
  }

  /** Guards the process group of a command until the returned function is called. */
  watch(pid: number, command: NotedCommand): () => void {
    const root = { pid, started: readProcess(pid)?.started ?? '', temporary: null }
    const release = this.#parentWatch.guard(root)
    let note: string | null = null
    try {
      note = writePidFile(this.#folder, 'command', root, command)
    } catch (error) {
      // It is already running, and still ends with the service.
      this.#log.warn({ err: error }, 'a command could not be noted')
    }
    return () => {
      release()
      if (note !== null) rmSync(note, { force: true })
    }
  }

  /** The command of this call, if it was still running when a service was killed and was therefore ended. */
  ended(tool_call_id: string): { name: string; pid: number } | null {
    return this.#ended.get(tool_call_id) ?? null
  }
}

interface CommandWatchOptions {
  /** Folder of the notes. */
  readonly folder: string
  readonly parentWatch: ParentWatch
  readonly log: Pick<Log, 'warn'>
}
