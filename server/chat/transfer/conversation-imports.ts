import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FileRef } from '../../../contract/files.ts'
import { sql } from 'kysely'
import type { Database, Reader, Trx } from '../../db/database.ts'
import { cutSegments, type SearchableLine, writeSegment } from '../../db/search-segments.ts'
import { STEP_ROWS } from '../../db/steps.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Log } from '../../kernel/log.ts'
import { newId } from '../../kernel/id.ts'
import { searchLine } from '../../kernel/text/search-words.ts'
import { say } from '../../kernel/sentence.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import type { ConversationFile } from './conversation-file.ts'
import type { Conversations } from '../conversations/conversations.ts'
import { eraseConversation, type EraserPorts } from '../conversations/erase-conversation.ts'
import { markUntrusted } from '../history/untrusted.ts'
import { GONE } from '../history/gone.ts'
import { type ImportRow, importRows } from './import-rows.ts'
import { insertRows } from './insert-rows.ts'
import { isGone, type LeaseOwner } from '../run/leases.ts'
import { readConversationFile } from './read-conversation-file.ts'

/** How long an import may be silent, in milliseconds by the database's time: a single file is copied in one go. */
const LEASE = 60_000
/** Characters of text stored in one step, unless a single part is longer. */
const STEP_TEXT = 256 * 1024
/** Segments indexed in one step; each takes milliseconds. */
const STEP_SEGMENTS = 2
/** Percentage of the work spent storing messages; the rest is indexing them. */
const STORING = 60

interface Import {
  readonly user_id: string
  readonly conversation_id: string
  readonly signal: AbortSignal
}

/** Where a conversation comes from. */
export interface ImportSource {
  read(): Promise<ConversationFile>
  /** How the message with this id of the source is marked. */
  imported(message_id: string): 1 | 2
  /** In the transaction that creates it, as yet invisible. */
  begun(trx: Trx, conversation_id: string): Promise<unknown>
  /** Brings a file of a message along; `hold` begins the transaction that stores it. */
  copyFile?(file: FileRef, hold: (trx: Trx, file_id: string) => Promise<void>): Promise<void>
  /** In the transaction that makes it visible, before anything else is written. */
  completed?(trx: Trx, conversation_id: string): Promise<void>
}

/** A file of a message, where it was stored. */
interface FileAt {
  readonly message_id: string
  readonly part_index: number
  readonly file: FileRef
}

/**
 * Turns exports, and conversations that are handed over, into conversations. The conversation is written in steps,
 * between which other requests are served, and stays invisible until the last one; a failed or killed import leaves a
 * conversation that is GONE, for the sweep.
 */
export class ConversationImports {
  readonly #db: Database
  readonly #eraser: EraserPorts
  readonly #conversations: Conversations
  readonly #owner: LeaseOwner
  readonly #log: Log
  readonly #stopping = new AbortController()

  constructor(eraser: EraserPorts, conversations: Conversations, owner: LeaseOwner, log: Log) {
    this.#db = eraser.db
    this.#eraser = eraser
    this.#conversations = conversations
    this.#owner = owner
    this.#log = log
  }

  /** Imports a file completely or not at all. @throws {AppError} bad_import, import_running, stopping */
  import(user_id: string, bytes: Uint8Array): Promise<{ conversation_id: string; title: string }> {
    return this.importFrom(user_id, {
      read: () => readConversationFile(bytes),
      imported: () => 1,
      begun: async (trx, conversation_id) => {
        await trx
          .updateTable('conversation')
          .set({ imported_at: Date.now() })
          .where('conversation_id', '=', conversation_id)
          .execute()
        // Whoever wrote the file wrote what is in it, whatever it says itself.
        await markUntrusted(trx, conversation_id, { kind: 'import', name: '' })
      },
    })
  }

  /** The same from anywhere. @throws {AppError} import_running, stopping, and what the source throws */
  async importFrom(user_id: string, source: ImportSource): Promise<{ conversation_id: string; title: string }> {
    const conversation_id = await this.#begin(user_id, source)
    const own = { user_id, conversation_id, signal: this.#stopping.signal }
    try {
      const file = await source.read()
      const title = storable(cut(file.title.trim(), 200))
      const { lines, files, head_message_id } = await this.#storeMessages(own, file, source)
      await this.#copyFiles(own, files, source)
      await this.#index(own, [{ place: '', text: searchLine(title) }, ...lines])
      await this.#complete(own, { title, title_source: title === '' ? 'none' : 'user', head_message_id }, source)
      return { conversation_id, title }
    } catch (error) {
      await this.#giveUp(own)
      throw error
    }
  }

  /** The user's import in progress; null when there is none. */
  async underWay(user_id: string): Promise<{ percent: number; started_at: string } | null> {
    const row = await this.#found(this.#db.read, user_id)
    if (!row || row.gone) return null
    return { percent: row.percent, started_at: iso(row.started_at) }
  }

  /** The user's import, and whether whoever began it has gone. */
  async #found(reader: Reader, user_id: string) {
    const row = await reader
      .selectFrom('conversation_import')
      .select(['percent', 'started_at'])
      .select(isGone(this.#owner, this.#db.dialect.now).as('gone'))
      .where('user_id', '=', user_id)
      .executeTakeFirst()
    return row && { ...row, gone: Boolean(row.gone) }
  }

  get #later() {
    return sql<number>`${this.#db.dialect.now} + ${LEASE}`
  }

  /** Makes imports in progress end before their next step. */
  stop(): void {
    const message = say`The service is stopping. Import the file again afterwards.`
    this.#stopping.abort(new AppError('stopping', message))
  }

  /** One import per user: whoever holds the row. @throws {AppError} import_running */
  async #begin(user_id: string, source: ImportSource): Promise<string> {
    const running = () =>
      new AppError('import_running', say`Another conversation is being imported. Wait until that is done.`)
    return this.#db
      .transaction(async (trx) => {
        const before = await this.#found(trx, user_id)
        if (before) {
          if (!before.gone) throw running()
          await trx.deleteFrom('conversation_import').where('user_id', '=', user_id).execute()
        }
        const now = Date.now()
        const conversation_id = await this.#conversations.create(trx, user_id)
        await trx
          .updateTable('conversation')
          .set({ deleted_at: GONE })
          .where('conversation_id', '=', conversation_id)
          .execute()
        await source.begun(trx, conversation_id)
        const lease = { lease_owner: this.#owner.owner, lease_expires_at: this.#later }
        await trx
          .insertInto('conversation_import')
          .values({ user_id, conversation_id, percent: 0, started_at: now, ...lease })
          .execute()
        return conversation_id
      })
      .catch((error: unknown) => {
        throw this.#db.isUniqueViolation(error) ? running() : error
      })
  }

  async #storeMessages(
    own: Import,
    { messages, head_message_id }: ConversationFile,
    { imported }: ImportSource,
  ): Promise<{ lines: SearchableLine[]; files: FileAt[]; head_message_id: string | null }> {
    const places = new Map<string, { message_id: string; position: number }>()
    const lines: SearchableLine[] = []
    const files: FileAt[] = []
    let rows: ImportRow[] = []
    let text = 0
    const store = async (done: number) => {
      await this.#step(own, (STORING * done) / messages.length, (trx) => insertRows(trx, rows))
      rows = []
      text = 0
    }
    for (const [i, message] of messages.entries()) {
      const parent = message.parent_id === null ? null : places.get(message.parent_id)!
      const { message_id } = message
      const place = {
        message_id: newId('message'),
        position: (parent?.position ?? 0) + 1,
        imported: imported(message_id),
      }
      places.set(message_id, place)
      for (const [part_index, part] of message.parts.entries())
        if (part.type === 'file') files.push({ message_id: place.message_id, part_index, file: part.file })
      for (const row of importRows({ ...own, ...place, parent_id: parent?.message_id ?? null }, message)) {
        rows.push(row)
        text += lengthOf(row)
        if (row.table === 'message_part' && row.line !== null) lines.push(row.line)
        if (rows.length >= STEP_ROWS || text >= STEP_TEXT) await store(i)
      }
    }
    if (rows.length > 0) await store(messages.length)
    const head = head_message_id === null ? undefined : places.get(head_message_id)
    return { lines, files, head_message_id: (head ?? [...places.values()].at(-1))?.message_id ?? null }
  }

  /** One after the other, each once; where one cannot be had any more, its label stays. */
  async #copyFiles(own: Import, files: readonly FileAt[], { copyFile }: ImportSource): Promise<void> {
    if (copyFile === undefined) return
    for (const [, uses] of Map.groupBy(files, ({ file }) => file.file_id)) {
      own.signal.throwIfAborted()
      const { file } = uses[0]!
      await copyFile(file, async (trx, file_id) => {
        await this.#hold(trx, own, STORING)
        for (const { message_id, part_index, file } of uses)
          await trx
            .updateTable('message_part')
            .set({ file_id, data: JSON.stringify({ ...file, file_id }) })
            .where('message_id', '=', message_id)
            .where('part_index', '=', part_index)
            .execute()
      })
    }
  }

  async #index(own: Import, lines: readonly SearchableLine[]): Promise<void> {
    const segments = cutSegments(lines)
    for (let i = 0; i < segments.length; i += STEP_SEGMENTS) {
      const percent = STORING + ((100 - STORING) * i) / segments.length
      await this.#step(own, percent, async (trx) => {
        for (const segment of segments.slice(i, i + STEP_SEGMENTS)) await writeSegment(trx, own, segment)
      })
    }
  }

  /** One transaction under the lease. @throws when the import is no longer this process's. */
  async #step(own: Import, percent: number, work: (trx: Trx) => Promise<void>) {
    own.signal.throwIfAborted()
    await this.#db.transaction(async (trx) => {
      await this.#hold(trx, own, percent)
      await work(trx)
    })
    await nextTurn()
  }

  async #hold(trx: Trx, { user_id, conversation_id }: Import, percent: number): Promise<void> {
    const { numUpdatedRows } = await trx
      .updateTable('conversation_import')
      .set({ percent: Math.floor(percent), lease_expires_at: this.#later })
      .where('user_id', '=', user_id)
      .where('conversation_id', '=', conversation_id)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new Error('The import was given up by somebody else.')
  }

  /** Makes it visible, with everything that was stored. */
  async #complete(
    own: Import,
    fields: { title: string; title_source: 'none' | 'user'; head_message_id: string | null },
    { completed }: ImportSource,
  ): Promise<void> {
    const { user_id, conversation_id } = own
    await this.#step(own, 100, async (trx) => {
      await completed?.(trx, conversation_id)
      await trx
        .updateTable('conversation')
        .set({ ...fields, deleted_at: null, updated_at: Date.now() })
        .where('conversation_id', '=', conversation_id)
        .execute()
      await trx.deleteFrom('conversation_import').where('conversation_id', '=', conversation_id).execute()
      await this.#conversations.tell(trx, user_id, conversation_id)
    })
  }

  /** Lets the user start another import and removes what was stored; the sweep handles what cannot be removed now. */
  async #giveUp({ user_id, conversation_id, signal }: Import): Promise<void> {
    try {
      await this.#db.write.deleteFrom('conversation_import').where('conversation_id', '=', conversation_id).execute()
      if (!signal.aborted) await eraseConversation(this.#eraser, { user_id, conversation_id })
    } catch (error) {
      this.#log.warn({ err: error, conversation_id }, 'a failed import is not cleared away yet')
    }
  }
}

function lengthOf(row: ImportRow): number {
  if (row.table === 'message_part') return row.row.text.length + row.row.data.length
  return row.table === 'tool_call' ? row.row.arguments.length + (row.row.result_text ?? '').length : 0
}
