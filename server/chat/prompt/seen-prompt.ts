import type { PromptPart, PromptSeen } from '../../../contract/prompt-seen.ts'
import type { FileRef } from '../../../contract/files.ts'
import type { MessagePartTable, MessageRow, RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { Reader } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import type { AttachmentContext } from '../../../contract/chat.ts'
import type { z } from 'zod'
import { assistantMessages, readPage } from './prompt.ts'
import { type PromptRecord, recordIn } from './prompt-record.ts'
import { textTokens } from '../../kernel/text/token-estimate.ts'
import { IMAGE_TOKENS, messageTokens } from './tokens.ts'

/** What is shown of a prompt, so that one answer of the service stays small. */
const MESSAGES = 100
const CHARACTERS = 20_000
const CALL_CHARACTERS = 2000

/**
 * The last prompt of a run, in the order in which its engine read it: what was kept with the step, and the messages of
 * the conversation, which never change. @throws {AppError} not_found
 */
export async function seenPrompt(reader: Reader, user_id: string, run_id: string): Promise<PromptSeen> {
  const run = await reader
    .selectFrom('run')
    .selectAll()
    .where('run_id', '=', run_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  if (!run) throw new AppError('not_found', say`There is no such run.`)
  const steps = await reader
    .selectFrom('step')
    .select(['step', 'output'])
    .where('run_id', '=', run_id)
    .where('kind', '=', 'model')
    .orderBy('step')
    .execute()
  const last = steps.at(-1)
  // A step whose frame is as in the one before has none of its own.
  let frame: PromptRecord['frame']
  for (let at = steps.length - 1; at >= 0 && frame === undefined; at--) frame = recordIn(steps[at]!.output).frame
  if (last === undefined || frame === undefined)
    return { run_id, recorded: false, parts: [], tokens: 0, shortened: false, more: false }

  const { left_out = null, summary = null, shortened = false } = recordIn(last.output)
  const { rows, more, count } = await messagesOf(reader, run, left_out)
  const { parts, calls } = rows.details
  const messages = rows.kept.map((row) => {
    const own = (parts.get(row.message_id) ?? []).filter(
      (part) => row.message_id !== run.output_message_id || part.step < last.step,
    )
    return row.role === 'user' ? userPart(run, row, own) : answerPart(run, row, own, calls)
  })
  const all: PromptPart[] = [
    { kind: 'system', ...shown(frame.system) },
    ...(frame.personal.trim() === '' ? [] : [{ kind: 'personal' as const, ...shown(frame.personal) }]),
    {
      kind: 'tools',
      tools: frame.tools.map(([name, tokens]) => ({ name, tokens })),
      count: frame.tool_count,
      tokens: frame.tool_tokens,
    },
    ...(count === 0 ? [] : [{ kind: 'left_out' as const, count, tokens: 0 as const }]),
    ...(summary === null ? [] : [{ kind: 'summary' as const, ...shown(summary) }]),
    // The answer to which the prompt led has no words of its own before its first step.
    ...messages.filter((part) => part.text !== '' || part.calls.length > 0 || part.files.length > 0),
  ]
  return {
    run_id,
    recorded: true,
    parts: all,
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    shortened,
    more,
  }
}

/** The messages after the one that was left out, oldest first; how many were left out. */
async function messagesOf(reader: Reader, run: RunTable, left_out: string | null) {
  const page = await readPage(reader, run.output_message_id, MESSAGES + 2)
  const end = page.messages.findIndex(({ message_id }) => message_id === left_out)
  const inside = end === -1 ? page.messages : page.messages.slice(0, end)
  const outside =
    left_out === null
      ? undefined
      : await reader.selectFrom('message').select('position').where('message_id', '=', left_out).executeTakeFirst()
  return {
    rows: { kept: inside.slice(0, MESSAGES).reverse(), details: page },
    more: inside.length > MESSAGES,
    count: outside?.position ?? 0,
  }
}

type MessageShown = Extract<PromptPart, { kind: 'message' }>

function userPart(run: RunTable, { message_id }: MessageRow, parts: readonly MessagePartTable[]): MessageShown {
  const text = textOf(parts)
  const { context } = JSON.parse(run.attachments) as { context?: z.infer<typeof AttachmentContext> }
  const seen = message_id === run.input_message_id ? (context?.items ?? []) : []
  const files = parts
    .filter((part) => part.type === 'file')
    .map((part) => {
      const { file_id, name } = JSON.parse(part.data) as FileRef
      const item = seen.find((one) => one.file_id === file_id)
      const tokens = item === undefined ? null : item.as === 'image' ? IMAGE_TOKENS : Math.ceil(item.characters / 3.5)
      return { name, tokens }
    })
  const own = messageTokens({ role: 'user', content: [{ type: 'text', text }] })
  const tokens = files.reduce((sum, file) => sum + (file.tokens ?? 0), own)
  return { kind: 'message', message_id, role: 'user', ...shown(text), tokens, files, calls: [] }
}

function answerPart(
  run: RunTable,
  { message_id }: MessageRow,
  parts: readonly MessagePartTable[],
  calls: ReadonlyMap<string, ToolCallTable>,
): MessageShown {
  const messages = assistantMessages(parts, calls, message_id === run.output_message_id)
  // Of each step its own: many servers count their calls from zero in every answer.
  const asked = messages.flatMap((message, at) => {
    const next = messages[at + 1]
    const results = next?.role === 'tool' ? next.results : []
    return message.role === 'assistant'
      ? message.calls.map((call, i) => ({ ...call, result: results[i]?.output ?? '' }))
      : []
  })
  return {
    kind: 'message',
    message_id,
    role: 'assistant',
    ...shown(textOf(parts)),
    tokens: messages.reduce((sum, message) => sum + messageTokens(message), 0),
    files: [],
    calls: asked.map(({ name, input, result }) => {
      const given = JSON.stringify(input)
      return {
        name,
        arguments: cut(given, CALL_CHARACTERS),
        result: cut(result, CALL_CHARACTERS),
        cut: given.length > CALL_CHARACTERS || result.length > CALL_CHARACTERS,
      }
    }),
  }
}

function textOf(parts: readonly MessagePartTable[]): string {
  return parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n')
}

function shown(text: string) {
  return { text: cut(text, CHARACTERS), tokens: textTokens(text), cut: text.length > CHARACTERS }
}
