import { sql } from 'kysely'
import type { Trx } from '../../db/database.ts'
import type { MessagePartTable, RunTable } from '../../db/rows/chat-tables.ts'
import type { SearchableLine } from '../../db/search-segments.ts'
import { change } from '../../db/statement.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { NewEvent } from '../history/activity.ts'
import { findable, indexParts } from '../history/searchable.ts'
import type { HeldRun } from '../run/run-store.ts'
import type { Step } from '../run/step.ts'

/** A crash loses at most this much of an answer, in milliseconds. */
const BATCH = 150
/** UTF-16 units of text in one event: even if every one is escaped, the event stays within its limit. */
const PIECE = 1200

interface WritingPart {
  /** Counted from the first part that this step adds. */
  readonly at: number
  readonly type: 'text' | 'reasoning'
  text: string
  stored: number
  provider: unknown
  /** Milliseconds of reasoning, once it has ended. */
  ms: number | undefined
}

/** What is left of an answer when it ends. */
interface Rest {
  readonly events: NewEvent[]
  /** What makes the whole answer of this step searchable. */
  readonly lines: SearchableLine[]
  /** Index of the next part after it. */
  readonly next_part: number
}

/**
 * Stores an answer while it streams: what has arrived is appended to its part, with its events, in one transaction
 * every 150 ms. The first words are written as soon as everything has been read that arrived with them, so that no one
 * waits for the batch, and an answer that arrives in one piece is stored in one.
 */
export class AnswerWriter {
  readonly #step: Step
  readonly #run: RunTable
  readonly #parts: WritingPart[] = []
  /** Index of the first part that this step adds: known from the first write on. */
  #first: number | null = null
  #carry = ''
  #lastFlush = -BATCH
  /** When the request was made, then when the last part ended. */
  #since = performance.now()
  #cancelFlush: (() => void) | null = null
  #writing: Promise<void> = Promise.resolve()
  #failure: Error | null = null
  readonly #onFailure: (error: unknown) => void

  /** `onFailure` is called once, when a write fails. */
  constructor(step: Step, onFailure: (error: unknown) => void) {
    this.#step = step
    this.#run = step.run.row
    this.#onFailure = onFailure
  }

  add(type: 'text' | 'reasoning', chunk: string): void {
    let text = this.#carry + chunk
    this.#carry = ''
    // Half of a surrogate pair waits for its other half.
    const last = text.charCodeAt(text.length - 1)
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#carry = text.slice(-1)
      text = text.slice(0, -1)
    }
    if (text === '') return
    const part = this.#parts.at(-1)
    if (part?.type === type && part.provider === undefined) part.text += storable(text)
    else this.#push(type, storable(text), undefined)
    this.#schedule()
  }

  /** Ends the preceding reasoning part with whatever the provider wants returned. */
  endReasoning(provider: unknown): void {
    const part = this.#parts.at(-1)
    if (part?.type === 'reasoning') {
      part.provider = provider ?? null
      this.#endPart()
    } else if (provider) this.#push('reasoning', '', provider)
  }

  /** Stores everything still pending. @throws whatever a write failed with. */
  async close(): Promise<void> {
    this.#cancel()
    this.#endPart()
    if (this.#failure === null) this.#flush(true)
    await this.#writing
    if (this.#failure !== null) throw this.#failure
  }

  /**
   * Ends the batches; what is still pending is then stored by `rest` or `close`. @throws whatever a write failed with.
   */
  async settle(): Promise<void> {
    this.#cancel()
    this.#endPart()
    await this.#writing
    if (this.#failure !== null) throw this.#failure
  }

  /** Stores what is still pending in the transaction that holds the run. */
  async rest(trx: Trx, held: HeldRun): Promise<Rest> {
    const texts = this.#parts.map((part) => part.text)
    const first = (this.#first ??= held.next_part)
    const events = await this.#storeAll(trx, first, this.#parts, texts)
    return { events, lines: this.#lines(first, this.#parts, texts), next_part: first + this.#parts.length }
  }

  /** The text of this step, its parts apart. */
  get texts(): string[] {
    return this.#parts.filter((part) => part.type === 'text').map((part) => part.text)
  }

  /** True while this step has produced nothing. */
  get empty(): boolean {
    return this.#parts.length === 0
  }

  #push(type: WritingPart['type'], text: string, provider: unknown): void {
    this.#endPart()
    this.#parts.push({ at: this.#parts.length, type, text, stored: text === '' ? -1 : 0, provider, ms: undefined })
  }

  /** Reasoning takes from the request, or the end of what came before it, until it ends or something else begins. */
  #endPart(): void {
    const part = this.#parts.at(-1)
    if (part === undefined) return
    const now = performance.now()
    if (part.type === 'reasoning') part.ms ??= Math.round(now - this.#since)
    this.#since = now
  }

  #schedule(): void {
    if (this.#cancelFlush || this.#failure !== null) return
    const flush = () => this.#flush(false)
    const wait = this.#lastFlush + BATCH - performance.now()
    if (wait <= 0) {
      const next = setImmediate(flush)
      this.#cancelFlush = () => clearImmediate(next)
    } else {
      const timer = setTimeout(flush, wait)
      this.#cancelFlush = () => clearTimeout(timer)
    }
  }

  #cancel(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = null
  }

  #flush(last: boolean): void {
    this.#cancelFlush = null
    this.#lastFlush = performance.now()
    this.#writing = this.#writing
      .then(() => (this.#failure === null ? this.#write(last) : undefined))
      .catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error(String(error))
        this.#onFailure(error)
      })
  }

  async #write(last: boolean): Promise<void> {
    const open = last ? [...this.#parts] : this.#parts.filter((part) => part.stored < part.text.length)
    if (open.length === 0) return
    // Text that arrives during this write belongs to the next batch.
    const texts = open.map((part) => part.text)
    const { store, activity } = this.#step
    await store.write(this.#step, async (trx, held) => {
      const first = (this.#first ??= held.next_part)
      const events = await this.#storeAll(trx, first, open, texts)
      if (last) await indexParts(trx, this.#run.conversation_id, this.#lines(first, open, texts))
      await activity.append(trx, this.#run.user_id, events)
    })
    for (const [i, part] of open.entries()) part.stored = texts[i]!.length
  }

  async #storeAll(
    trx: Trx,
    first: number,
    open: readonly WritingPart[],
    texts: readonly string[],
  ): Promise<NewEvent[]> {
    const events: NewEvent[] = []
    for (const [i, part] of open.entries()) {
      const text = texts[i]!
      // Nothing was added since it was stored.
      if (part.stored === text.length && part.provider === undefined && part.ms === undefined) continue
      await APPEND.run(trx, {
        message_id: this.#run.output_message_id,
        part_index: first + part.at,
        step: this.#run.step + 1,
        type: part.type,
        text: text.slice(Math.max(part.stored, 0)),
        data: JSON.stringify({ provider: part.provider, ms: part.ms }),
      })
      events.push(...this.#deltas(first, part, text))
    }
    return events
  }

  /** Reasoning is not searchable: it is neither said nor done. */
  #lines(first: number, parts: readonly WritingPart[], texts: readonly string[]): SearchableLine[] {
    const message_id = this.#run.output_message_id
    return parts.flatMap((part, i) =>
      part.type === 'text' ? (findable(message_id, first + part.at, texts[i]!) ?? []) : [],
    )
  }

  #deltas(first: number, part: WritingPart, text: string): NewEvent[] {
    const events: NewEvent[] = []
    for (let from = Math.max(part.stored, 0); from < text.length;) {
      let to = Math.min(from + PIECE, text.length)
      const end = text.charCodeAt(to - 1)
      if (to < text.length && end >= 0xd800 && end <= 0xdbff) to--
      events.push({
        type: 'run.delta',
        conversation_id: this.#run.conversation_id,
        run_id: this.#run.run_id,
        data: {
          message_id: this.#run.output_message_id,
          index: first + part.at,
          part: part.type,
          from,
          text: text.slice(from, to),
        },
      })
      from = to
    }
    return events
  }
}

/** Adds text to a part, which the first text begins. */
const APPEND = change(
  (db, is: Pick<MessagePartTable, 'message_id' | 'part_index' | 'step' | 'type' | 'text' | 'data'>) =>
    db
      .insertInto('message_part')
      .values({
        message_id: is.message_id,
        part_index: is.part_index,
        step: is.step,
        type: is.type,
        text: is.text,
        data: is.data,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['message_id', 'part_index'])
          .doUpdateSet({ text: sql<string>`message_part.text || excluded.text`, data: is.data }),
      ),
)
