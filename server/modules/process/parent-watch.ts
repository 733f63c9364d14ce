import { spawn, type ChildProcess } from 'node:child_process'
import { extname, join } from 'node:path'
import type { Log } from '../../kernel/log.ts'
import type { TreeRoot } from './process-tree.ts'

/** Next to this file; in the kit for authors both are plain JavaScript. */
const PROGRAM = join(import.meta.dirname, `orphan-killer${extname(import.meta.filename)}`)
/** A module may kill it, which must not turn into an endless contest. */
const MOST_STARTS = 20

/**
 * A small process that ends modules and commands when the service is killed, for those without a sandbox that ends with
 * the service. It is started with the first of them that needs it, and ends with the service.
 */
export class ParentWatch implements Disposable {
  readonly #node: string
  readonly #log: Pick<Log, 'warn'>
  readonly #roots = new Map<number, TreeRoot>()
  readonly #until = new Map<number, number>()
  #child: ChildProcess | null = null
  #closed = false
  #starts = 0

  constructor(node: string, log: Pick<Log, 'warn'>) {
    this.#node = node
    this.#log = log
  }

  /** Guards a module or a command until the returned function is called. */
  guard(root: TreeRoot): () => void {
    this.#roots.set(root.pid, root)
    if (this.#child === null) this.#start()
    else this.#say({ add: root })
    return () => {
      this.#roots.delete(root.pid)
      this.#until.delete(root.pid)
      this.#say({ remove: root.pid })
    }
  }

  /**
   * Has a guarded module ended at `at`, even if this process stands still by then; a later call moves that. In
   * milliseconds of the machine's clock that only goes forward (`process.hrtime`).
   */
  until(pid: number, at: number): void {
    if (!this.#roots.has(pid)) return
    this.#until.set(pid, at)
    this.#say({ until: { pid, at } })
  }

  [Symbol.dispose](): void {
    this.#closed = true
    this.#child?.stdin?.end()
    this.#child = null
  }

  #start(): void {
    this.#starts += 1
    const child = spawn(this.#node, ['--disable-warning=ExperimentalWarning', PROGRAM], {
      // In a group of its own, so that ending the service's group does not end it.
      detached: true,
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin.on('error', () => undefined)
    child.once('error', (error) =>
      this.#log.warn({ err: error }, 'modules and commands may outlive a service that is killed'),
    )
    child.once('exit', () => {
      if (this.#child !== child || this.#closed) return
      this.#child = null
      if (this.#roots.size > 0 && this.#starts < MOST_STARTS) this.#start()
    })
    child.unref()
    ;(child.stdin as unknown as { unref?: () => void }).unref?.()
    this.#child = child
    for (const root of this.#roots.values()) this.#say({ add: root })
    for (const [pid, at] of this.#until) this.#say({ until: { pid, at } })
  }

  #say(line: { add: TreeRoot } | { remove: number } | { until: { pid: number; at: number } }): void {
    this.#child?.stdin?.write(`${JSON.stringify(line)}\n`)
  }
}
