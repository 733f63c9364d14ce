import { Readable } from 'node:stream'
import type { Part } from '../../contract/chat.ts'
import type { FileAnswer } from '../../contract/route.ts'
import type { MessageTable } from '../db/chat-tables.ts'
import type { Database, Trx } from '../db/database.ts'
import type { SearchableLine } from '../db/search-segments.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { hashOf } from '../kernel/canonical.ts'
import { newId } from '../kernel/id.ts'
import { cut, storable } from '../kernel/text.ts'
import { iso } from '../kernel/time.ts'
import { walkBack } from './branches.ts'
import { ConversationFile, FILE_FORMAT, type FilePart, toMarkdown } from './conversation-file.ts'
import type { Conversations } from './conversations.ts'
import { toMessages } from './messages.ts'
import { insertParts, type NewPart } from './parts.ts'
import { indexConversation } from './searchable.ts'

const PAGE = 200

/** Conversations as files: Markdown of the shown branch, JSON of all branches, and back from JSON. */
export class ConversationCopies {
  readonly #db: Database
  readonly #conversations: Conversations

  constructor(db: Database, conversations: Conversations) {
    this.#db = db
    this.#conversations = conversations
  }

  /** @throws {AppError} not_found */
  async write(user_id: string, conversation_id: string, format: 'markdown' | 'json'): Promise<FileAnswer> {
    const conversation = await this.#conversations.find(this.#db.read, user_id, conversation_id)
    const name = conversation.title || 'conversation'
    if (format === 'markdown') {
      const rows = await this.#shownBranch(conversation.head_message_id)
      return toFile(`${name}.md`, 'text/markdown', toMarkdown(conversation.title, await this.#read(rows)))
    }
    const rows = await this.#db.read
      .selectFrom('message')
      .selectAll()
      .where('conversation_id', '=', conversation_id)
      .orderBy('message_id')
      .execute()
    const messages = await this.#read(rows)
    const file: ConversationFile = {
      format: FILE_FORMAT,
      version: 1,
      title: conversation.title,
      exported_at: iso(Date.now()),
      head_message_id: conversation.head_message_id,
      messages: messages.map(({ message_id, role, status, created_at, parts }, i) => ({
        message_id,
        parent_id: rows[i]!.parent_id,
        role,
        status,
        created_at,
        parts: parts.map(withoutCards),
      })),
    }
    return toFile(`${name}.json`, 'application/json', JSON.stringify(file, null, 2))
  }

  /** Makes a conversation of an export, whole or not at all. @throws {AppError} bad_import */
  async read(user_id: string, bytes: Uint8Array): Promise<{ conversation_id: string; title: string }> {
    const file = parse(bytes)
    const title = storable(cut(file.title.trim(), 200))
    return this.#db.transaction(async (trx) => {
      const conversation_id = await this.#conversations.create(trx, user_id)
      const ids = new Map<string, { message_id: string; position: number }>()
      const lines: SearchableLine[] = []
      for (const message of file.messages) {
        const parent = message.parent_id === null ? null : ids.get(message.parent_id)
        if (parent === undefined || ids.has(message.message_id))
          throw badImport(say`This file cannot be imported: a message stands before the one that it follows.`)
        const own = { message_id: newId('message'), position: (parent?.position ?? 0) + 1 }
        ids.set(message.message_id, own)
        const parent_id = parent?.message_id ?? null
        lines.push(...(await storeMessage(trx, { user_id, conversation_id, parent_id, ...own }, message)))
      }
      const head = file.head_message_id === null ? undefined : ids.get(file.head_message_id)
      await trx
        .updateTable('conversation')
        .set({
          title,
          title_source: title === '' ? 'none' : 'user',
          head_message_id: head?.message_id ?? [...ids.values()].at(-1)?.message_id ?? null,
        })
        .where('conversation_id', '=', conversation_id)
        .execute()
      await indexConversation(trx, conversation_id, lines)
      await this.#conversations.tell(trx, user_id, conversation_id)
      return { conversation_id, title }
    })
  }

  async #shownBranch(head: string | null): Promise<MessageTable[]> {
    const rows: MessageTable[] = []
    for (let from = head; from !== null;) {
      const page = await walkBack(this.#db.read, from, PAGE)
      rows.push(...page)
      from = page.at(-1)?.parent_id ?? null
    }
    return rows.reverse()
  }

  async #read(rows: readonly MessageTable[]) {
    const messages = []
    for (let i = 0; i < rows.length; i += PAGE)
      messages.push(...(await toMessages(this.#db.read, rows.slice(i, i + PAGE))))
    return messages
  }
}

/** Cards stay behind: in a copy there is nothing to decide. */
function withoutCards(part: Part): FilePart {
  if (part.type !== 'tool_call') return part
  const { index, type, tool_call } = part
  return { index, type, tool_call }
}

function toFile(name: string, media_type: string, text: string): FileAnswer {
  const bytes = Buffer.from(text)
  return { name, media_type, size: bytes.length, stream: Readable.from([bytes]) }
}

function parse(bytes: Uint8Array): ConversationFile {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw badImport(say`This file cannot be imported: it is not JSON.`, error)
  }
  const parsed = ConversationFile.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw badImport(say`This file cannot be imported. ${issue!.path.join('.')}: ${issue!.message}.`)
}

function badImport(why: Sentence, cause?: unknown): AppError {
  return new AppError('bad_import', why, { cause })
}

interface Place {
  readonly user_id: string
  readonly conversation_id: string
  readonly message_id: string
  readonly parent_id: string | null
  readonly position: number
}

/** Returns what of it a search should find. */
async function storeMessage(
  trx: Trx,
  place: Place,
  message: ConversationFile['messages'][number],
): Promise<SearchableLine[]> {
  const { conversation_id, message_id, parent_id, position } = place
  const created_at = Date.parse(message.created_at)
  const calls = message.parts.filter((part) => part.type === 'tool_call')
  const run_id = calls.length === 0 ? null : await storeRun(trx, place, created_at)
  const status = message.status === 'cancelled' || message.status === 'failed' ? message.status : 'complete'
  await trx
    .insertInto('message')
    .values({ conversation_id, message_id, parent_id, position, role: message.role, status, run_id, created_at })
    .execute()
  const parts: NewPart[] = []
  for (const [index, part] of message.parts.entries())
    parts.push(await toNewPart(trx, place, run_id, index, part, created_at))
  return (await insertParts(trx, place.message_id, message.role === 'user' ? 0 : 1, parts)).lines
}

/** Tool calls belong to a run: an imported answer gets one that is over. */
async function storeRun(trx: Trx, place: Place, created_at: number): Promise<string> {
  const run_id = newId('run')
  await trx
    .insertInto('run')
    .values({
      run_id,
      conversation_id: place.conversation_id,
      user_id: place.user_id,
      session_id: '',
      scope: null,
      status: 'done',
      step: 1,
      ai_mode: 'model',
      model: null,
      input_message_id: place.parent_id ?? place.message_id,
      output_message_id: place.message_id,
      idempotency_key: null,
      request_hash: '',
      lease_owner: null,
      lease_expires_at: null,
      epoch: 0,
      cancel_requested_at: null,
      warning: null,
      error_code: null,
      error_detail: null,
      input_tokens: 0,
      output_tokens: 0,
      cost_micros: null,
      attachments: JSON.stringify({ files: [] }),
      created_at,
      ended_at: created_at,
    })
    .execute()
  return run_id
}

async function toNewPart(
  trx: Trx,
  place: Place,
  run_id: string | null,
  part_index: number,
  part: FilePart,
  created_at: number,
): Promise<NewPart> {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, data: {} }
    case 'reasoning':
      return { type: 'reasoning', text: part.text, data: {}, find: '' }
    case 'table':
      return { type: 'table', data: { tool_call_id: null, table: part.table }, find: part.table.title }
    case 'citation':
      return { type: 'citation', data: { title: part.title, href: part.href } }
    case 'notice':
      return { type: 'notice', data: part.notice }
    case 'file':
      // A copy has the label of a file and not its bytes.
      return { type: 'file', data: part.file, find: part.file.name }
    case 'tool_call': {
      const call = part.tool_call
      const tool_call_id = newId('toolCall')
      const { module, tool, title, effect } = call
      await trx
        .insertInto('tool_call')
        .values({
          tool_call_id,
          run_id: run_id!,
          message_id: place.message_id,
          part_index,
          step: 1,
          call_id: tool_call_id,
          module: storable(module),
          tool: storable(tool),
          title: storable(title),
          effect,
          arguments: JSON.stringify(call.arguments),
          arguments_hash: hashOf(call.arguments),
          definition_hash: '',
          module_version: '',
          decision: 'allow',
          basis: '',
          // What was open when it was written is over here.
          status:
            call.status === 'pending' || call.status === 'running' || call.status === 'awaiting_approval'
              ? 'cancelled'
              : call.status,
          result_text: call.result_preview === null ? null : storable(call.result_preview),
          provider: 'null',
          started_at: call.duration_ms === null ? null : created_at,
          ended_at: call.duration_ms === null ? null : created_at + call.duration_ms,
        })
        .execute()
      const find = `${module}.${tool} ${JSON.stringify(call.arguments)}`
      return { type: 'tool_call', data: { tool_call_id }, find }
    }
  }
}
