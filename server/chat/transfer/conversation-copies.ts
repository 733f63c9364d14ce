import { Readable } from 'node:stream'
import type { Part } from '../../../contract/chat.ts'
import type { Caller, FileAnswer } from '../../../contract/route.ts'
import type { ConversationTable, MessageRow } from '../../db/rows/chat-tables.ts'
import type { Database } from '../../db/database.ts'
import { iso } from '../../kernel/time.ts'
import { AS_WRITTEN } from '../../kernel/wording.ts'
import { walkBack } from '../history/branches.ts'
import { type ConversationFile, FILE_FORMAT, type FilePart, toMarkdown } from './conversation-file.ts'
import type { Conversations } from '../conversations/conversations.ts'
import { toMessages } from '../history/messages.ts'
import type { Reading } from '../history/tool-call-view.ts'

const PAGE = 200
/** A copy that can be imported again keeps the modules' own words: it may be read in any language. */
const AS_STORED: Reading['tools'] = { find: () => undefined, wording: () => AS_WRITTEN }

/** Conversations as files: Markdown of the shown branch, JSON of all branches. */
export class ConversationCopies {
  readonly #db: Database
  readonly #conversations: Conversations
  readonly #tools: Reading['tools']

  constructor(db: Database, conversations: Conversations, tools: Reading['tools']) {
    this.#db = db
    this.#conversations = conversations
    this.#tools = tools
  }

  /** @throws {AppError} not_found */
  async write(
    { user_id, language }: Caller,
    conversation_id: string,
    format: 'markdown' | 'json',
  ): Promise<FileAnswer> {
    const conversation = await this.#conversations.find(this.#db.read, user_id, conversation_id)
    const name = conversation.title || 'conversation'
    if (format === 'markdown') {
      const rows = await this.#shownBranch(conversation.head_message_id)
      return toFile(
        `${name}.md`,
        'text/markdown',
        toMarkdown(conversation.title, await this.#read(rows, { language, tools: this.#tools })),
      )
    }
    const { file } = await this.readAll(conversation, language)
    return toFile(`${name}.json`, 'application/json', JSON.stringify(file, null, 2))
  }

  /** A conversation with all its branches, and which of its messages were imported. */
  async readAll(
    { conversation_id, title, head_message_id }: ConversationTable,
    language: string,
  ): Promise<{ file: ConversationFile; imported: ReadonlySet<string> }> {
    const rows = await this.#db.read
      .selectFrom('message')
      .selectAll()
      .where('conversation_id', '=', conversation_id)
      .orderBy('message_id')
      .execute()
    const messages = await this.#read(rows, { language, tools: AS_STORED })
    const file: ConversationFile = {
      format: FILE_FORMAT,
      version: 1,
      title,
      exported_at: iso(Date.now()),
      head_message_id,
      messages: messages.map(({ message_id, role, status, created_at, parts }, i) => ({
        message_id,
        parent_id: rows[i]!.parent_id,
        role,
        status,
        created_at,
        parts: parts.map(withoutCards),
      })),
    }
    return { file, imported: new Set(rows.flatMap((row) => (row.imported === 1 ? [row.message_id] : []))) }
  }

  /**
   * The files of its messages. What an imported message names is not among them: its author may have named any file of the
   * conversation's owner.
   */
  async attachedTo(conversation_id: string): Promise<ReadonlySet<string>> {
    const rows = await this.#db.read
      .selectFrom('message_part')
      .innerJoin('message', 'message.message_id', 'message_part.message_id')
      .select('message_part.file_id')
      .distinct()
      .where('message.conversation_id', '=', conversation_id)
      .where('message_part.file_id', 'is not', null)
      .execute()
    return new Set(rows.map((row) => row.file_id!))
  }

  async #shownBranch(head: string | null): Promise<MessageRow[]> {
    const rows: MessageRow[] = []
    for (let from = head; from !== null;) {
      const page = await walkBack(this.#db.read, from, PAGE)
      rows.push(...page)
      from = page.at(-1)?.parent_id ?? null
    }
    return rows.reverse()
  }

  async #read(rows: readonly MessageRow[], reading: Reading) {
    const messages = []
    for (let i = 0; i < rows.length; i += PAGE)
      messages.push(...(await toMessages(this.#db.read, rows.slice(i, i + PAGE), reading)))
    return messages
  }
}

/** Cards are left out: in a copy there is nothing to decide. */
function withoutCards(part: Part): FilePart {
  if (part.type !== 'tool_call') return part
  const { index, type, tool_call } = part
  return { index, type, tool_call }
}

function toFile(name: string, media_type: string, text: string): FileAnswer {
  const bytes = Buffer.from(text)
  return { name, media_type, size: bytes.length, stream: Readable.from([bytes]) }
}
