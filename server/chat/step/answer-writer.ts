import { sql } from 'kysely'
import type { Trx } from '../../db/database.ts'
import type { RunTable } from '../../db/chat-tables.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { NewEvent } from '../history/activity.ts'
import { findable, indexParts } from '../history/searchable.ts'
import type { Step } from '../run/step.ts'

/** A crash loses at most this much of an answer, in milliseconds. */
const BATCH = 150
/** UTF-16 units of text in one event: even if every one is escaped, the event stays within its limit. */
const PIECE = 1200

interface WritingPart {
  readonly index: number
  readonly type: 'text' | 'reasoning'
  text: string
  stored: number
  provider: unknown
}

/**
 * Stores an answer while it streams: what has arrived is appended to its part, with its events, in one transaction
 * every 150 ms. The first words are written at once, so that no one waits for the batch.
 */
export class AnswerWriter {
  readonly #step: Step
  readonly #run: RunTable
  readonly #parts: WritingPart[] = []
  #nextIndex: number
  #carry = ''
  #lastFlush = 0
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()
  #failure: Error | null = null
  readonly #onFailure: (error: unknown) => void

  /** `firstIndex`: index of the first part that this step adds. `onFailure` is called once, when a write fails. */
  constructor(step: Step, firstIndex: number, onFailure: (error: unknown) => void) {
    this.#step = step
    this.#run = step.run.row
    this.#nextIndex = firstIndex
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
    else this.#parts.push({ index: this.#nextIndex++, type, text: storable(text), stored: 0, provider: undefined })
    this.#schedule()
  }

  /** Ends the preceding reasoning part with whatever the provider wants returned. */
  endReasoning(provider: unknown): void {
    const part = this.#parts.at(-1)
    if (part?.type === 'reasoning') part.provider = provider ?? null
    else if (provider) this.#parts.push({ index: this.#nextIndex++, type: 'reasoning', text: '', stored: -1, provider })
  }

  /** Stores everything still pending. @throws whatever a write failed with. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#failure === null) this.#flush(true)
    await this.#writing
    if (this.#failure !== null) throw this.#failure
  }

  /**
   * Ends the batches; what is still pending is then stored by `rest` or `close`. @throws whatever a write failed with.
   */
  async settle(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#writing
    if (this.#failure !== null) throw this.#failure
  }

  /** Stores what is still pending in the caller's transaction, and returns its events. */
  rest(trx: Trx): Promise<NewEvent[]> {
    return this.#storeAll(
      trx,
      this.#parts,
      this.#parts.map((part) => part.text),
      true,
    )
  }

  /** True while this step has produced nothing. */
  get empty(): boolean {
    return this.#parts.length === 0
  }

  #schedule(): void {
    if (this.#timer || this.#failure !== null) return
    const wait = Math.max(0, this.#lastFlush + BATCH - performance.now())
    if (wait === 0) this.#flush(false)
    else
      this.#timer = setTimeout(() => {
        this.#timer = null
        this.#flush(false)
      }, wait)
  }

  #flush(last: boolean): void {
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
    await store.write(this.#step, async (trx) => {
      await activity.append(trx, this.#run.user_id, await this.#storeAll(trx, open, texts, last))
    })
    for (const [i, part] of open.entries()) part.stored = texts[i]!.length
  }

  async #storeAll(
    trx: Trx,
    open: readonly WritingPart[],
    texts: readonly string[],
    last: boolean,
  ): Promise<NewEvent[]> {
    const events: NewEvent[] = []
    for (const [i, part] of open.entries()) {
      await this.#store(trx, part, texts[i]!)
      events.push(...this.#deltas(part, texts[i]!))
    }
    if (last) await this.#index(trx, open, texts)
    return events
  }

  /** Reasoning is not searchable: it is neither said nor done. */
  async #index(trx: Trx, parts: readonly WritingPart[], texts: readonly string[]): Promise<void> {
    const message_id = this.#run.output_message_id
    const lines = parts.map((part, i) => (part.type === 'text' ? findable(message_id, part.index, texts[i]!) : null))
    await indexParts(
      trx,
      message_id,
      lines.filter((line) => line !== null),
    )
  }

  async #store(trx: Trx, part: WritingPart, text: string): Promise<void> {
    const data = JSON.stringify(part.provider === undefined ? {} : { provider: part.provider })
    const delta = text.slice(Math.max(part.stored, 0))
    await trx
      .insertInto('message_part')
      .values({
        message_id: this.#run.output_message_id,
        part_index: part.index,
        step: this.#run.step + 1,
        type: part.type,
        text: delta,
        data,
      })
      .onConflict((oc) =>
        oc
          .columns(['message_id', 'part_index'])
          .doUpdateSet({ text: sql<string>`message_part.text || excluded.text`, data }),
      )
      .execute()
  }

  #deltas(part: WritingPart, text: string): NewEvent[] {
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
          index: part.index,
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
