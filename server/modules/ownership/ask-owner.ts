import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ToolAnswer, ToolQuestion, ToolRequest } from '../../chat/ports/tools.ts'
import type { Database } from '../../db/database.ts'
import type { HostLog } from '../spec/host-log.ts'
import type { AskedCall, CallRows } from './call-rows.ts'
import { packRequest } from './packed-values.ts'

/** How often the row is looked at when nothing wakes: a wake-up that was lost delays a call, no more. */
const LOOK_MS = 1000
/** How often the row says that somebody still waits. */
const TOUCH_MS = 5000
/** How long a call may wait for a process to take it, while the module moves. */
export const TAKE_MS = 20_000
/** How long the owner of a stopped call may take to say how it ended: the module's own time, and a little. */
const STOPPED_MS = 8000

/** How a call ended that another process was asked for. */
export type OwnersAnswer =
  | { readonly kind: 'done'; readonly result: unknown }
  /** Nobody has run it. */
  | { readonly kind: 'not_run' }
  /** Whoever ran it is gone, or does not answer after it was told to stop: it may have happened. */
  | { readonly kind: 'lost'; readonly why: 'closed' | 'cancelled' }

export interface AskOptions {
  readonly module: string
  /** `call`, or what else the owner is asked. */
  readonly kind: string
  readonly request: unknown
  /** The owner, as far as known: it is woken. */
  readonly owner: string | null
  readonly signal: AbortSignal
  readonly progress?: (text: string) => void
  readonly ask?: ToolRequest['ask']
  readonly take_ms?: number
}

/** Asks the process that owns a module for something, and waits for the answer. Never rejects. */
export class AskOwner {
  readonly #db: Database
  readonly #rows: CallRows
  readonly #log: HostLog

  constructor(db: Database, rows: CallRows, log: HostLog) {
    this.#db = db
    this.#rows = rows
    this.#log = log
  }

  async ask(options: AskOptions): Promise<OwnersAnswer> {
    const { module, kind, request, owner, signal } = options
    if (signal.aborted) return { kind: 'not_run' }
    const call_id = randomUUID()
    try {
      await this.#rows.ask(call_id, { module, kind, request, owner })
    } catch (error) {
      this.#log.warn({ module, err: error }, 'the owner of a module could not be asked')
      // The answer may be lost, and not the row.
      if (await this.#neverThere(call_id)) return { kind: 'not_run' }
    }
    const answer = await this.#wait(call_id, options)
    await this.#rows.remove(call_id).catch(() => undefined)
    return answer
  }

  call(request: ToolRequest, options: Omit<AskOptions, 'kind' | 'request' | 'ask' | 'module'>): Promise<OwnersAnswer> {
    const { module, ask } = request
    return this.ask({ ...options, module, kind: 'call', request: packRequest(request), ask })
  }

  async #wait(call_id: string, options: AskOptions): Promise<OwnersAnswer> {
    const { signal, progress, take_ms = TAKE_MS } = options
    let woken = Promise.withResolvers<void>()
    const wake = () => woken.resolve()
    const stopListening = this.#db.onWake(call_id, wake)
    signal.addEventListener('abort', wake, { once: true })
    const asked = performance.now()
    const asking = new Asking(options.ask, (answer) => this.#rows.answer(call_id, answer))
    let told: string | null = null
    let touched = asked
    let stoppedAt: number | null = null
    let toldToStop = false
    try {
      for (;;) {
        const row = await this.#rows.look(call_id).catch(() => undefined)
        const now = performance.now()
        if (row === null) return { kind: 'lost', why: 'closed' }
        if (row !== undefined) {
          if (row.state === 'done') return { kind: 'done', result: this.#rows.open(row.result!) }
          if (row.lost) return { kind: 'lost', why: signal.aborted ? 'cancelled' : 'closed' }
          const late = row.state === 'asked' && (signal.aborted || now - asked > take_ms)
          if (late && (await this.#withdrawn(call_id))) return { kind: 'not_run' }
          if (row.progress !== null && row.progress !== told) progress?.((told = row.progress))
          this.#follow(asking, row)
        }
        if (signal.aborted) {
          stoppedAt ??= now
          if (!toldToStop) toldToStop = await this.#cancelled(call_id)
          if (now - stoppedAt > STOPPED_MS) return { kind: 'lost', why: 'cancelled' }
        }
        if (now - touched > TOUCH_MS) {
          touched = now
          await this.#rows.touch(call_id).catch(() => undefined)
        }
        await Promise.race([woken.promise, pause(LOOK_MS)])
        woken = Promise.withResolvers()
      }
    } finally {
      asking.end()
      stopListening()
      signal.removeEventListener('abort', wake)
    }
  }

  #follow(asking: Asking, row: AskedCall): void {
    asking.follow(row.question === null ? null : (this.#rows.open(row.question) as NumberedQuestion))
  }

  async #neverThere(call_id: string): Promise<boolean> {
    return (await this.#withdrawn(call_id)) || (await this.#rows.look(call_id).catch(() => undefined)) === null
  }

  async #withdrawn(call_id: string): Promise<boolean> {
    return this.#rows.withdraw(call_id).catch(() => false)
  }

  async #cancelled(call_id: string): Promise<boolean> {
    return this.#rows.cancel(call_id).then(
      () => true,
      () => false,
    )
  }
}

export interface NumberedQuestion {
  readonly number: number
  readonly question: ToolQuestion
}
export interface NumberedAnswer {
  readonly number: number
  readonly answer: ToolAnswer
}

/** Shows the questions of one call to the person who made it, and sends the answers back. */
class Asking {
  readonly #ask: ToolRequest['ask'] | undefined
  readonly #send: (answer: NumberedAnswer) => Promise<void>
  #open: { readonly number: number; readonly stop: AbortController } | null = null

  constructor(ask: ToolRequest['ask'] | undefined, send: (answer: NumberedAnswer) => Promise<void>) {
    this.#ask = ask
    this.#send = send
  }

  /** The question that is open now; null: none is. */
  follow(asked: NumberedQuestion | null): void {
    if (asked?.number === this.#open?.number) return
    this.end()
    if (asked === null || this.#ask === undefined) return
    const stop = new AbortController()
    this.#open = { number: asked.number, stop }
    void this.#ask(asked.question, stop.signal)
      .then((answer) => (stop.signal.aborted ? undefined : this.#send({ number: asked.number, answer })))
      // Its deadline ends a call whose answer cannot be sent.
      .catch(() => undefined)
  }

  end(): void {
    this.#open?.stop.abort()
    this.#open = null
  }
}
