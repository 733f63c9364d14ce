import type { Message, Notice, Part, Table } from '../../../contract/chat.ts'
import type { FileRef } from '../../../contract/files.ts'
import type { Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import type {
  ConversationTable,
  MessagePartTable,
  MessageRow,
  RunTable,
  ToolCallTable,
} from '../../db/rows/chat-tables.ts'
import { iso } from '../../kernel/time.ts'
import { noticeIn } from './run-notices.ts'
import { siblings, walkBack } from './branches.ts'
import { type Card, cards } from './cards.ts'
import { type Reading, toApproval, toToolCall } from './tool-call-view.ts'

/** What `message_part.data` holds, by part type. */
export interface PartData {
  text: Record<string, never>
  /** `ms`: how long it took. */
  reasoning: { provider?: unknown; ms?: number }
  tool_call: { tool_call_id: string }
  file: FileRef & { tool_call_id?: string }
  table: { tool_call_id: string | null; table: Table }
  citation: { title: string; href: string }
  facts: { source: 'hook' | 'watch' }
  notice: Notice
}

export interface MessagePage {
  readonly messages: Message[]
  readonly next_before: string | null
}

/**
 * The newest `limit` messages of the branch that ends with `head` (those before the message `before`, if given), oldest
 * first. A `before` from another conversation yields nothing.
 */
export async function readMessages(
  reader: Reader,
  conversation: Pick<ConversationTable, 'conversation_id' | 'head_message_id'>,
  page: { before?: string | undefined; limit: number },
  reading: Reading,
): Promise<MessagePage> {
  const { conversation_id, head_message_id } = conversation
  let from = head_message_id
  if (page.before !== undefined) {
    const before = await reader
      .selectFrom('message')
      .select('parent_id')
      .where('message_id', '=', page.before)
      .where('conversation_id', '=', conversation_id)
      .executeTakeFirst()
    from = before?.parent_id ?? null
  }
  const rows = await walkBack(reader, from, page.limit + 1)
  const kept = rows.slice(0, page.limit).reverse()
  return {
    messages: await toMessages(reader, kept, reading),
    next_before: rows.length > page.limit ? kept[0]!.message_id : null,
  }
}

export async function readMessage(
  reader: Reader,
  conversation_id: string,
  message_id: string,
  reading: Reading,
): Promise<Message | null> {
  const row = await messageRow(reader, conversation_id, message_id)
  return row ? (await toMessages(reader, [row], reading))[0]! : null
}

export function messageRow(
  reader: Reader,
  conversation_id: string,
  message_id: string,
): Promise<MessageRow | undefined> {
  return MESSAGE.first(reader, { conversation_id, message_id })
}

const MESSAGE = query((db, is: { conversation_id: string; message_id: string }) =>
  db
    .selectFrom('message')
    .selectAll()
    .where('message_id', '=', is.message_id)
    .where('conversation_id', '=', is.conversation_id),
)

/**
 * Message rows with their parts, calls and cards for whoever reads: a handful of queries, however many messages.
 */
export async function toMessages(reader: Reader, rows: readonly MessageRow[], reading: Reading): Promise<Message[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.message_id)
  const parts = await reader
    .selectFrom('message_part')
    .selectAll()
    .where('message_id', 'in', ids)
    .orderBy('message_id')
    .orderBy('part_index')
    .execute()
  const calls = parts.some((part) => part.type === 'tool_call')
    ? await reader
        .selectFrom('tool_call')
        .leftJoin('run', 'run.run_id', 'tool_call.run_id')
        .selectAll('tool_call')
        .select('run.ai_mode')
        .where('tool_call.message_id', 'in', ids)
        .execute()
    : []
  const approvals =
    calls.length === 0
      ? []
      : await cards(reader)
          .where(
            'tool_call_id',
            'in',
            calls.map((call) => call.tool_call_id),
          )
          .orderBy('approval_id')
          .execute()
  const alternatives = await siblings(reader, rows)
  const callById = new Map(calls.map((call) => [call.tool_call_id, call]))
  // A superseded card is followed by a newer one; the last one counts.
  const approvalByCall = new Map(
    approvals.filter(({ kind }) => kind !== 'question').map((approval) => [approval.tool_call_id!, approval]),
  )
  const questionsByCall = Map.groupBy(
    approvals.filter(({ kind }) => kind === 'question'),
    (question) => question.tool_call_id!,
  )
  const about = { calls: callById, approvals: approvalByCall, questions: questionsByCall, reading }
  const partsByMessage = Map.groupBy(parts, (part) => part.message_id)
  return rows.map((row) => ({
    message_id: row.message_id,
    role: row.role,
    status: row.status,
    parts: (partsByMessage.get(row.message_id) ?? []).map((part) => toPart(part, about)),
    created_at: iso(row.created_at),
    run_id: row.run_id,
    siblings: alternatives.get(row.message_id) ?? [],
    imported: row.imported === 1,
    ...(row.imported === 2 && { handed_over: true as const }),
  }))
}

function toPart(
  row: MessagePartTable,
  about: {
    readonly calls: ReadonlyMap<string, ToolCallTable & { readonly ai_mode: RunTable['ai_mode'] | null }>
    readonly approvals: ReadonlyMap<string, Card>
    readonly questions: ReadonlyMap<string, readonly Card[]>
    readonly reading: Reading
  },
): Part {
  const index = row.part_index
  switch (row.type) {
    case 'text':
      return { index, type: 'text', text: row.text }
    case 'reasoning': {
      const { ms } = JSON.parse(row.data) as PartData['reasoning']
      return { index, type: 'reasoning', text: row.text, ...(ms !== undefined && { duration_ms: ms }) }
    }
    case 'tool_call': {
      const { tool_call_id } = JSON.parse(row.data) as PartData['tool_call']
      const approval = about.approvals.get(tool_call_id)
      const call = about.calls.get(tool_call_id)!
      return {
        index,
        type: 'tool_call',
        tool_call: toToolCall(call, about.reading),
        approval: approval ? toApproval(approval, about.reading) : null,
        ...(call.ai_mode === 'direct' ? { direct: true as const } : {}),
        questions: (about.questions.get(tool_call_id) ?? []).map((card) => toApproval(card, about.reading)),
      }
    }
    case 'file': {
      const { tool_call_id, ...file } = JSON.parse(row.data) as PartData['file']
      return { index, type: 'file', file, ...(tool_call_id === undefined ? {} : { tool_call_id }) }
    }
    case 'table':
      return { index, type: 'table', ...(JSON.parse(row.data) as PartData['table']) }
    case 'citation':
      return { index, type: 'citation', ...(JSON.parse(row.data) as PartData['citation']) }
    case 'facts':
      return { index, type: 'facts', ...(JSON.parse(row.data) as PartData['facts']), text: row.text }
    case 'notice':
      return {
        index,
        type: 'notice',
        notice: noticeIn(JSON.parse(row.data) as PartData['notice'], about.reading.language),
      }
  }
}
