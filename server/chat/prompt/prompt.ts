import type { z } from 'zod'
import type { AttachmentContext, FileParsing } from '../../../contract/chat.ts'
import type { FileRef } from '../../../contract/files.ts'
import type { Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import type { MessagePartTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { AttachmentContent } from '../ports/attachments.ts'
import { walkBack } from '../history/branches.ts'
import { fenced } from './fenced.ts'
import { importedAnswer } from './imported-answer.ts'
import type { PartData } from '../history/messages.ts'
import type { ModelAbilities, PromptContent, PromptMessage, PromptPicture } from '../ports/model.ts'
import type { Step } from '../run/step.ts'
import { messageTokens } from './tokens.ts'
import { toolPictures } from './tool-pictures.ts'

/** Characters of attachments in one request; newer messages come first. */
const ATTACHMENT_CHARACTERS = 200_000
const PAGE = 40
/** The person's message and the answer to it. */
const OWN_MESSAGES = 2
const NOT_IMPORTED = say`The conversation was imported, and this file did not come with it.`
const NOT_HANDED_OVER = say`The conversation was handed over, and this file did not come with it.`

export interface Prompt {
  readonly messages: PromptMessage[]
  /** The newest message that is not in `messages` because it did not fit or a summary covers it; null when all are. */
  readonly left_out: string | null
  readonly tokens: number
  /** Whether pictures of the run itself were left out, because its model takes none. */
  readonly unseen: boolean
  readonly parsing: z.infer<typeof FileParsing>[]
  readonly context: z.infer<typeof AttachmentContext>
}

export interface Summary {
  readonly text: string
  /** The last message it covers. */
  readonly through_message_id: string
}

/**
 * Reads the branch of a run as the model sees it, from its answer back until `budget` tokens are used (null: only the
 * run itself). A summary replaces what it covers. Pictures are there for a model that may see them.
 */
export async function buildPrompt(
  step: Step,
  budget: number | null,
  summary: Summary | null,
  abilities: ModelAbilities,
): Promise<Prompt> {
  const run = step.run.row
  const context = { characters: 0, truncated: false, items: [] as Prompt['context']['items'] }
  const parsing: Prompt['parsing'] = []
  const groups: PromptMessage[][] = []
  let tokens = 0
  let left_out: string | null = run.output_message_id
  let left = ATTACHMENT_CHARACTERS
  let unseen = false

  reading: while (left_out !== null) {
    const rows = await readPage(step.db.read, left_out, budget === null ? OWN_MESSAGES : PAGE)
    for (const row of rows.messages) {
      if (row.message_id === summary?.through_message_id) break reading
      const parts = rows.parts.get(row.message_id) ?? []
      let messages: PromptMessage[]
      if (row.role === 'user') {
        const named = parts.filter((part) => part.type === 'file')
        // Of an imported file there is only the label: it belongs to someone else or does not exist.
        const isThere = (part: MessagePartTable) => !row.imported || part.file_id !== null
        const sees = abilities.pictures !== false
        const read = await readFiles(step, named.filter(isThere).map(fileOf), { left, sees })
        const why = row.imported === 2 ? NOT_HANDED_OVER : NOT_IMPORTED
        const missing = named
          .filter((part) => !isThere(part))
          .map((part) => notShown(fileOf(part).name, why.in(step.policy.language)))
        left -= read.characters
        if (row.message_id === run.input_message_id) {
          parsing.push(...read.parsing)
          context.items.push(...read.items)
          context.characters = read.characters
          context.truncated = read.items.some((item) => item.truncated)
          unseen ||= read.unseen
        }
        const text = parts.filter((part) => part.type === 'text').map((part) => part.text)
        const facts = parts.filter((part) => part.type === 'facts').map(factsContent)
        const own = { type: 'text' as const, text: text.join('\n') }
        messages = [{ role: 'user', content: [own, ...facts, ...read.contents, ...missing] }]
      } else {
        const current = row.message_id === run.output_message_id
        const shown = current ? await toolPictures(step, parts, abilities) : null
        unseen ||= shown?.unseen === true
        messages = row.imported
          ? importedAnswer(parts, rows.calls, row.imported === 2)
          : assistantMessages(parts, rows.calls, current, shown?.byCall)
      }
      const size = messages.reduce((sum, message) => sum + messageTokens(message), 0)
      // The person's message and what this run has done so far are always included.
      const own = row.message_id === run.input_message_id || row.message_id === run.output_message_id
      if (!own && budget !== null && tokens + size > budget) break reading
      groups.push(messages)
      tokens += size
      left_out = row.parent_id
    }
    if (budget === null) break
  }
  const messages = groups.reverse().flat()
  if (summary && budget !== null) {
    const text = `Summary of the conversation so far, made because it did not fit:\n\n${summary.text}`
    messages.unshift({ role: 'user', content: [{ type: 'text', text }] })
  }
  return { messages, left_out, tokens, unseen, parsing, context }
}

/** Marked as data: what comes from elsewhere is never an instruction. */
function factsContent({ text, data }: MessagePartTable): PromptContent {
  const { source } = JSON.parse(data) as PartData['facts']
  return { type: 'text', text: fenced('data', { from: source }, text) }
}

function fileOf({ data }: MessagePartTable): FileRef {
  return JSON.parse(data) as FileRef
}

const PARTS = query((db, is: { ids: readonly string[] }, anyOf) =>
  db.selectFrom('message_part').selectAll().where('message_id', 'in', anyOf(is.ids)).orderBy('part_index'),
)

const CALLS = query((db, is: { ids: readonly string[] }, anyOf) =>
  db.selectFrom('tool_call').selectAll().where('message_id', 'in', anyOf(is.ids)),
)

/** Messages from the given one back, newest first, with their parts and calls. */
export async function readPage(reader: Reader, from: string, limit: number) {
  const messages = await walkBack(reader, from, limit)
  const ids = messages.map((message) => message.message_id)
  const parts = await PARTS.all(reader, { ids })
  const calls = parts.some((part) => part.type === 'tool_call') ? await CALLS.all(reader, { ids }) : []
  return {
    messages,
    parts: Map.groupBy(parts, (part) => part.message_id),
    calls: new Map(calls.map((call) => [call.tool_call_id, call])),
  }
}

/** An answer as the steps it was made in: text and calls first, then their results. */
export function assistantMessages(
  parts: readonly MessagePartTable[],
  calls: ReadonlyMap<string, ToolCallTable>,
  current: boolean,
  pictures: ReadonlyMap<string, readonly PromptPicture[]> = new Map(),
): PromptMessage[] {
  const messages: PromptMessage[] = []
  for (const [, step] of [...Map.groupBy(parts, (part) => part.step)].sort(([a], [b]) => a - b)) {
    const asked = step
      .filter((part) => part.type === 'tool_call')
      .map((part) => calls.get((JSON.parse(part.data) as PartData['tool_call']).tool_call_id)!)
    const text = step
      .filter((part) => part.type === 'text')
      .map((part) => part.text)
      .join('\n\n')
    // Reasoning is returned only within its own run, as providers require.
    const reasoning = current
      ? step
          .filter((part) => part.type === 'reasoning')
          .map((part) => ({
            text: part.text,
            provider: (JSON.parse(part.data) as PartData['reasoning']).provider ?? null,
          }))
      : []
    if (text === '' && asked.length === 0) continue
    messages.push({
      role: 'assistant',
      text,
      reasoning,
      calls: asked.map((call) => ({
        call_id: call.call_id,
        name: toolName(call),
        input: JSON.parse(call.arguments) as unknown,
        provider: JSON.parse(call.provider) as unknown,
      })),
    })
    if (asked.length > 0) {
      messages.push({
        role: 'tool',
        results: asked.map((call) => ({
          call_id: call.call_id,
          name: toolName(call),
          output: call.result_text ?? `(no result: the call is ${call.status})`,
          failed: call.status !== 'done',
          tables: step.filter((part) => part.type === 'table' && part.data.includes(call.tool_call_id)).length,
          ...(pictures.has(call.tool_call_id) && { pictures: pictures.get(call.tool_call_id)! }),
        })),
      })
    }
  }
  return messages
}

function toolName(call: { module: string; tool: string }): string {
  return call.module === '' ? call.tool : `${call.module}.${call.tool}`
}

/** At most `left` characters; pictures only for a model that `sees`. */
async function readFiles(
  step: Step,
  files: readonly FileRef[],
  { left, sees }: { readonly left: number; readonly sees: boolean },
) {
  const contents: PromptContent[] = []
  const parsing: Prompt['parsing'] = []
  const items: Prompt['context']['items'] = []
  let characters = 0
  let unseen = false
  for (const file of files) {
    const content = await readFile(step, file, Math.max(0, left - characters))
    parsing.push(content.parsing)
    const about = { file_id: file.file_id, name: file.name, truncated: content.truncated }
    if (content.image && !sees) {
      unseen = true
      contents.push(notShown(file.name, say`This model takes no pictures.`.in(step.policy.language)))
      items.push({ ...about, characters: 0, as: 'none' })
    } else if (content.image) {
      contents.push({ type: 'image', ...content.image })
      items.push({ ...about, characters: 0, as: 'image' })
    } else if (content.text !== null) {
      characters += content.text.length
      // Marked as data: the contents of a file are never an instruction.
      const from: Record<string, string> =
        file.origin === undefined ? {} : { from: `${file.origin.module}: ${file.origin.uri}` }
      contents.push({ type: 'text', text: fenced('attachment', { name: file.name, ...from }, content.text) })
      items.push({ ...about, characters: content.text.length, as: 'text' })
    } else {
      // Otherwise a model assumes that the file was never sent.
      const why = content.parsing.detail ?? say`This file cannot be read.`.in(step.policy.language)
      contents.push(notShown(file.name, why))
      items.push({ ...about, characters: 0, as: 'none' })
    }
  }
  return { contents, parsing, items, characters, unseen }
}

function notShown(name: string, why: string): PromptContent {
  return { type: 'text', text: fenced('attachment', { name, shown: 'no' }, why) }
}

/** A file of an older message may have been deleted: that must not end the conversation. */
async function readFile(
  { ports, run, policy, signal }: Step,
  { file_id, name }: FileRef,
  max: number,
): Promise<AttachmentContent> {
  try {
    return await ports.attachments.read(run.row.user_id, file_id, max, { signal, language: policy.language })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    const detail = say`The file was deleted.`.in(policy.language)
    const parsing = { file_id, name, parser: 'none', status: 'failed' as const, characters: 0, detail }
    return { parsing, text: null, image: null, truncated: false }
  }
}
