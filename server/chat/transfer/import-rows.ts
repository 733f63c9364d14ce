import type { MessagePartTable, MessageTable, RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import { FRESH_RUN } from '../run/fresh-run.ts'
import type { SearchableLine } from '../../db/search-segments.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { newId } from '../../kernel/id.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { FileMessage, FilePart } from './conversation-file.ts'
import { type NewPart, toPartRow } from '../history/parts.ts'
import { findable } from '../history/searchable.ts'

/** Where an imported message is placed. */
export interface ImportPlace {
  readonly user_id: string
  readonly conversation_id: string
  readonly message_id: string
  readonly parent_id: string | null
  readonly position: number
  /** As in the row of the message. */
  readonly imported: 1 | 2
}

/** A row written by an import, and its searchable text. */
export type ImportRow =
  | { readonly table: 'run'; readonly row: RunTable }
  | { readonly table: 'message'; readonly row: Omit<MessageTable, 'imported'> & { readonly imported: 1 | 2 } }
  | { readonly table: 'tool_call'; readonly row: ToolCallTable }
  | { readonly table: 'message_part'; readonly row: MessagePartTable; readonly line: SearchableLine | null }

/** The rows of one message, each after those it refers to. */
export function* importRows(place: ImportPlace, message: FileMessage): Generator<ImportRow> {
  const { conversation_id, message_id, parent_id, position, imported } = place
  const created_at = Date.parse(message.created_at)
  // Tool calls belong to a run: an imported answer is given one that has ended.
  const run_id = message.parts.some((part) => part.type === 'tool_call') ? newId('run') : null
  if (run_id !== null) yield { table: 'run', row: endedRun(place, run_id, created_at) }
  const status = message.status === 'cancelled' || message.status === 'failed' ? message.status : 'complete'
  const { role } = message
  yield {
    table: 'message',
    row: { conversation_id, message_id, parent_id, position, role, status, run_id, created_at, imported },
  }
  for (const [index, part] of message.parts.entries()) {
    const call = part.type === 'tool_call' ? toCall(place, run_id!, index, part.tool_call, created_at) : null
    if (call !== null) yield { table: 'tool_call', row: call }
    const own = toNewPart(part, call)
    const row = toPartRow(message_id, index, role === 'user' ? 0 : 1, own)
    const line = findable(message_id, index, own.find ?? own.text ?? '')
    // A copy keeps the file's label but does not hold anyone's file; one that was handed over gets its own afterwards.
    yield { table: 'message_part', row: { ...row, file_id: null }, line }
  }
}

function endedRun(place: ImportPlace, run_id: string, created_at: number): RunTable {
  return {
    run_id,
    conversation_id: place.conversation_id,
    user_id: place.user_id,
    session_id: '',
    started_by: 'session',
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
    ...FRESH_RUN,
    attachments: JSON.stringify({ files: [] }),
    created_at,
    ended_at: created_at,
  }
}

function toCall(
  place: ImportPlace,
  run_id: string,
  part_index: number,
  call: Extract<FilePart, { type: 'tool_call' }>['tool_call'],
  created_at: number,
): ToolCallTable {
  const tool_call_id = newId('toolCall')
  // Whatever was open at export time has ended here.
  const open = call.status === 'pending' || call.status === 'running' || call.status === 'awaiting_approval'
  return {
    tool_call_id,
    run_id,
    message_id: place.message_id,
    part_index,
    step: 1,
    call_id: tool_call_id,
    module: storable(call.module),
    tool: storable(call.tool),
    title: storable(call.title),
    effect: call.effect,
    arguments: JSON.stringify(call.arguments),
    arguments_sealed: null,
    main_argument: call.main_argument ?? null,
    repaired: call.repaired === undefined ? null : JSON.stringify(call.repaired),
    targets: call.targets === undefined ? null : JSON.stringify(call.targets),
    arguments_hash: hashOf(call.arguments),
    definition_hash: '',
    module_version: '',
    decision: 'allow',
    basis: '',
    status: open ? 'cancelled' : call.status,
    result_text: call.result_preview === null ? null : storable(call.result_preview),
    verified: call.verified === undefined ? null : storable(JSON.stringify(call.verified)),
    provider: 'null',
    untrusted: 0,
    started_at: call.duration_ms === null ? null : created_at,
    ended_at: call.duration_ms === null ? null : created_at + call.duration_ms,
  }
}

function toNewPart(part: FilePart, call: ToolCallTable | null): NewPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, data: {} }
    case 'reasoning':
      return { type: 'reasoning', text: part.text, data: { ms: part.duration_ms }, find: '' }
    case 'table':
      return { type: 'table', data: { tool_call_id: null, table: part.table }, find: part.table.title }
    case 'citation':
      return { type: 'citation', data: { title: part.title, href: part.href } }
    case 'facts':
      return { type: 'facts', text: part.text, data: { source: part.source } }
    case 'notice':
      return { type: 'notice', data: part.notice }
    case 'file':
      return { type: 'file', data: part.file, find: part.file.name }
    case 'tool_call':
      return {
        type: 'tool_call',
        data: { tool_call_id: call!.tool_call_id },
        find: `${call!.module}.${call!.tool} ${call!.arguments}`,
      }
  }
}
