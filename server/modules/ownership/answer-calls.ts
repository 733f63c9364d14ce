import type { ToolAnswer, ToolQuestion, ToolRequest, ToolResult } from '../../chat/ports/tools.ts'
import type { Database } from '../../db/database.ts'
import type { HostLog } from '../spec/host-log.ts'
import type { NumberedAnswer, NumberedQuestion } from './ask-owner.ts'
import { topicOf, type CallRows } from './call-rows.ts'
import { type PackedRequest, packResult } from './packed-values.ts'

const LOOK_MS = 1000
/** Progress that comes faster is left out. */
const PROGRESS_MS = 200
/** How often a result is tried to be stored. Whoever waits for it learns from the lease when it never comes. */
const TRIES = 5

export interface AnswerPorts {
  readonly db: Database
  readonly rows: CallRows
  /** Name of this process. */
  readonly me: string
  readonly log: HostLog
  /** The modules that this process owns now, ready to be called. */
  owned(): readonly string[]
  call(request: ToolRequest, signal: AbortSignal, progress: (text: string) => void): Promise<ToolResult>
  /** Answers anything else that is asked of the owner. */
  serve(module: string, kind: string, request: unknown): Promise<unknown>
}

interface Running {
  readonly stop: AbortController
  /** The question that waits for its answer. */
  open: { readonly number: number; readonly answered: (answer: ToolAnswer) => void } | null
  stopListening: () => void
}

/** Runs here what other processes ask of the modules that this process owns. */
export class AnswerCalls implements AsyncDisposable {
  readonly #ports: AnswerPorts
  readonly #running = new Map<string, Running>()
  readonly #work = new Set<Promise<void>>()
  readonly #stopListening: () => void
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | null = null
  #again = false
  #closed = false

  constructor(ports: AnswerPorts) {
    this.#ports = ports
    this.#stopListening = ports.db.onWake(topicOf(ports.me), () => this.look())
    this.#timer = setInterval(() => this.look(), LOOK_MS)
    this.#timer.unref()
  }

  /** Whether a call of another process is running in a module. */
  get busy(): number {
    return this.#running.size
  }

  /** Looks for calls that wait, and at those that run. */
  look(): void {
    if (this.#closed) return
    if (this.#looking !== null) {
      this.#again = true
      return
    }
    this.#looking = this.#look()
      .catch((error: unknown) => this.#ports.log.warn({ err: error }, 'calls of other processes were not read'))
      .finally(() => {
        this.#looking = null
        if (!this.#again) return
        this.#again = false
        this.look()
      })
  }

  async #look(): Promise<void> {
    const { rows, me } = this.#ports
    if (this.#running.size > 0) await this.#lookAtRunning()
    for (const call_id of await rows.waiting(this.#ports.owned())) {
      if (this.#closed) return
      const taken = await rows.take(call_id, me)
      if (taken === null) continue
      const work = this.#run(call_id, taken).finally(() => this.#work.delete(work))
      this.#work.add(work)
    }
  }

  async #lookAtRunning(): Promise<void> {
    for (const { call_id, cancelled, forsaken, answer } of await this.#ports.rows.running([...this.#running.keys()])) {
      const running = this.#running.get(call_id)
      if (running === undefined) continue
      if (cancelled || forsaken) running.stop.abort()
      const { open } = running
      if (open === null || answer === null) continue
      const given = this.#ports.rows.open(answer) as NumberedAnswer
      if (given.number === open.number) open.answered(given.answer)
    }
  }

  async #run(call_id: string, { module, kind, request }: { module: string; kind: string; request: unknown }) {
    const { rows, db, log } = this.#ports
    const running: Running = { stop: new AbortController(), open: null, stopListening: () => undefined }
    this.#running.set(call_id, running)
    running.stopListening = db.onWake(call_id, () => this.look())
    try {
      const result =
        kind === 'call'
          ? packResult(await this.#call(call_id, request as PackedRequest, running))
          : await this.#ports.serve(module, kind, request)
      await stored(() => rows.done(call_id, result))
    } catch (error) {
      log.warn({ module, kind, err: error }, 'a call of another process was not answered')
    } finally {
      running.stopListening()
      this.#running.delete(call_id)
    }
  }

  async #call(call_id: string, request: PackedRequest, running: Running): Promise<ToolResult> {
    const { rows } = this.#ports
    let number = 0
    let before: Promise<unknown> = Promise.resolve()
    const ask = (question: ToolQuestion, signal: AbortSignal): Promise<ToolAnswer> => {
      // The row has room for one at a time.
      const answer = before.then(() => this.#ask(call_id, { number: ++number, question }, signal, running))
      before = answer
      return answer
    }
    const progress = latest(PROGRESS_MS, (text) => rows.progress(call_id, text))
    try {
      return await this.#ports.call({ ...request, ask }, running.stop.signal, (text) => progress.tell(text))
    } finally {
      await progress.end()
    }
  }

  async #ask(call_id: string, asked: NumberedQuestion, signal: AbortSignal, running: Running): Promise<ToolAnswer> {
    if (signal.aborted) return { action: 'cancel' }
    const given = Promise.withResolvers<ToolAnswer>()
    const onAbort = () => given.resolve({ action: 'cancel' })
    signal.addEventListener('abort', onAbort, { once: true })
    running.open = { number: asked.number, answered: given.resolve }
    try {
      await this.#ports.rows.question(call_id, asked)
      return await given.promise
    } catch {
      return { action: 'cancel' }
    } finally {
      running.open = null
      signal.removeEventListener('abort', onAbort)
      await this.#ports.rows.question(call_id, null).catch(() => undefined)
    }
  }

  /** Takes nothing more, and waits for what runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    this.#stopListening()
    for (const { stop } of this.#running.values()) stop.abort()
    await this.#looking
    await Promise.allSettled(this.#work)
  }
}

async function stored(write: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await write()
    } catch (error) {
      if (tried === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, 200 * tried))
    }
  }
}

/** Sends the newest text, at most one in `milliseconds`, one after the other. */
function latest(milliseconds: number, send: (text: string) => Promise<void>) {
  let newest: string | null = null
  let sending: Promise<void> | null = null
  const go = async (): Promise<void> => {
    while (newest !== null) {
      const text = newest
      newest = null
      await send(text).catch(() => undefined)
      if (newest !== null) await new Promise((resolve) => setTimeout(resolve, milliseconds))
    }
  }
  return {
    tell(text: string): void {
      newest = text
      sending ??= go().finally(() => (sending = null))
    },
    async end(): Promise<void> {
      await sending
    },
  }
}
