import type { z } from 'zod'
import type { AttachmentContext, ChatResult, FileParsing } from '../../../contract/chat.ts'
import { ENGINE_FAILURES } from '../../../contract/engine-failures.ts'
import type { FileEntry, FileRef } from '../../../contract/files.ts'
import type { Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import type { ApprovalTable, RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import { procedureOf } from './procedure-of-run.ts'
import { type Reading, toApproval, toToolCall } from './tool-call-view.ts'

/** What a run stores about its attachments: `run.attachments`. */
export interface RunAttachments {
  readonly files: FileEntry[]
  readonly parsing?: z.infer<typeof FileParsing>[]
  readonly context?: z.infer<typeof AttachmentContext>
}

const NOTHING_SEEN: z.infer<typeof AttachmentContext> = { characters: 0, truncated: false, items: [] }

function readAttachments(row: RunTable) {
  const { files, parsing, context } = JSON.parse(row.attachments) as RunAttachments
  return { attachments: files, file_content_parsing: parsing ?? [], attachment_context: context ?? NOTHING_SEEN }
}

/** What a run brought about, beside what its row says. */
interface Done {
  readonly texts: readonly string[]
  readonly calls: readonly ToolCallTable[]
  /** Those that wait for a decision. */
  readonly approvals: readonly ApprovalTable[]
  readonly files: readonly FileRef[]
}

const NOTHING: Done = { texts: [], calls: [], approvals: [], files: [] }

/**
 * The answer of a run that rests, as returned by POST /api/chat. Given what is known of it instead of its id, only the
 * rest is read; `texts` are all it has said, if it called nothing.
 * @throws {AppError} ai_unavailable or run_failed for a run that did not finish; its text so far stays stored.
 */
export async function chatResult(
  reader: Reader,
  run: string | { readonly row: RunTable; readonly texts: readonly string[] | null },
  session_id: string,
  reading: Reading,
): Promise<ChatResult> {
  const row =
    typeof run === 'string'
      ? await reader.selectFrom('run').selectAll().where('run_id', '=', run).executeTakeFirstOrThrow()
      : run.row
  const failure = failureOf(row)
  if (failure) throw failure
  const done =
    typeof run === 'string' || run.texts === null ? await readDone(reader, row) : { ...NOTHING, texts: run.texts }
  const fields = {
    answer: done.texts.join('\n\n'),
    generated_files: [...done.files],
    tool_calls_executed: done.calls.filter((call) => call.started_at !== null).map((call) => toToolCall(call, reading)),
    session_id,
    conversation_id: row.conversation_id,
    approvals: done.approvals.map((card) => toApproval(card, reading)),
    ...readAttachments(row),
  }
  return row.status === 'cancelled'
    ? { cancelled: true, ...fields, warning: row.warning }
    : { ...fields, ai_mode: row.ai_mode, engine: row.engine, model: row.model }
}

async function readDone(reader: Reader, { run_id, output_message_id }: RunTable): Promise<Done> {
  const texts = await TEXTS.all(reader, { message_id: output_message_id })
  return {
    texts: texts.map((part) => part.text),
    calls: await CALLS.all(reader, { run_id }),
    approvals: await OPEN_CARDS.all(reader, { run_id }),
    files: await FILES.all(reader, { run_id }),
  }
}

const TEXTS = query((db, is: { message_id: string }) =>
  db
    .selectFrom('message_part')
    .select('text')
    .where('message_id', '=', is.message_id)
    .where('type', '=', 'text')
    .orderBy('part_index'),
)

const CALLS = query((db, is: { run_id: string }) =>
  db.selectFrom('tool_call').selectAll().where('run_id', '=', is.run_id).orderBy('part_index'),
)

const OPEN_CARDS = query((db, is: { run_id: string }) =>
  db
    .selectFrom('approval')
    .selectAll()
    .where('run_id', '=', is.run_id)
    .where('status', '=', 'pending')
    .orderBy('approval_id'),
)

const FILES = query((db, is: { run_id: string }) =>
  db
    .selectFrom('file')
    .select(['file_id', 'name', 'media_type', 'size', 'extension'])
    .where('run_id', '=', is.run_id)
    .where('deleted_at', 'is', null)
    .orderBy('file_id'),
)

function failureOf(row: RunTable): AppError | null {
  const where = {
    conversation_id: row.conversation_id,
    run_id: row.run_id,
    ...(row.error_code !== null && { error_code: row.error_code }),
  }
  if (row.status === 'failed' && meansUnavailable(row.error_code)) {
    return new AppError(
      'ai_unavailable',
      asKept(row.error_detail) ?? say`The AI engine does not answer. Try again later.`,
      {
        extra: where,
      },
    )
  }
  if (row.status === 'failed' && row.error_code === 'quota_used_up') {
    return new AppError('quota_used_up', asKept(row.error_detail) ?? say`Your quota is used up.`, { extra: where })
  }
  if (row.status === 'failed' && row.error_code === 'forbidden') {
    return new AppError('forbidden', say`You no longer have permission to run this.`, { extra: where })
  }
  // A step that failed is a result, like a tool that did: the answer says so.
  if (row.error_code === 'procedure_stopped') return null
  if (row.status === 'failed' || row.status === 'interrupted') {
    const detail = asKept(row.error_detail) ?? say`The run did not finish. The answer so far is in the conversation.`
    return new AppError('run_failed', detail, { extra: where })
  }
  return null
}

/** Whether the engine, not the request, was at fault: asking again may help. */
function meansUnavailable(code: string | null): boolean {
  if (code === 'engine_context' || code === 'engine_refused') return false
  return code === 'ai_unavailable' || ENGINE_FAILURES.some((failure) => failure === code)
}

/** A run with its tokens, its cost and what the model was shown. @throws {AppError} not_found */
export async function runDetails(reader: Reader, user_id: string, run_id: string) {
  const row = await reader
    .selectFrom('run')
    .selectAll()
    .where('run_id', '=', run_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', say`There is no such run.`)
  return {
    run_id,
    conversation_id: row.conversation_id,
    status: row.status,
    ai_mode: row.ai_mode,
    engine: row.engine,
    model: row.model,
    steps: row.step,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cost_micros: row.cost_micros,
    started_at: iso(row.created_at),
    ended_at: row.ended_at === null ? null : iso(row.ended_at),
    waited_ms: await waited(reader, row),
    error_code: row.error_code,
    procedure: procedureOf(row),
    ...readAttachments(row),
  }
}

/** Milliseconds in which at least one card of the run was open, until now or its end. */
async function waited(reader: Reader, { run_id, created_at, ended_at }: RunTable): Promise<number> {
  const cards = await reader
    .selectFrom('approval')
    .select(['requested_at', 'decided_at', 'expires_at'])
    .where('run_id', '=', run_id)
    .orderBy('requested_at')
    .execute()
  const end = ended_at ?? Date.now()
  let until = created_at
  let sum = 0
  for (const { requested_at, decided_at, expires_at } of cards) {
    const closed = Math.min(decided_at ?? expires_at, end)
    sum += Math.max(0, closed - Math.max(requested_at, until))
    until = Math.max(until, closed)
  }
  return sum
}

/** What a run stored about its failure: already in its owner's language. */
function asKept(detail: string | null): Sentence | null {
  return detail === null ? null : quoted(detail)
}
