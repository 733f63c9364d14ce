import { z } from 'zod'
import { type Message, Notice, type Part, Table, ToolCall } from '../../../contract/chat.ts'
import { FileRef } from '../../../contract/files.ts'
import { Id, Timestamp } from '../../../contract/values.ts'

export const FILE_FORMAT = 'reeve.conversation'
const MESSAGES = 50_000

const part = { index: z.int().optional() }
/** Parts as exported; cards are left out because nothing can be decided in a copy. */
const FilePart = z.discriminatedUnion('type', [
  z.object({ ...part, type: z.literal('text'), text: z.string() }),
  z.object({ ...part, type: z.literal('reasoning'), text: z.string(), duration_ms: z.int().min(0).optional() }),
  z.object({ ...part, type: z.literal('tool_call'), tool_call: ToolCall }),
  z.object({ ...part, type: z.literal('file'), file: FileRef }),
  z.object({ ...part, type: z.literal('table'), table: Table }),
  z.object({ ...part, type: z.literal('citation'), title: z.string(), href: z.string() }),
  z.object({ ...part, type: z.literal('facts'), source: z.enum(['hook', 'watch']), text: z.string() }),
  z.object({ ...part, type: z.literal('notice'), notice: Notice }),
])
export type FilePart = z.infer<typeof FilePart>

export const FileMessage = z.object({
  message_id: Id,
  parent_id: Id.nullable(),
  role: z.enum(['user', 'assistant']),
  status: z.string(),
  created_at: Timestamp,
  parts: z.array(FilePart).max(10_000),
})
export type FileMessage = z.infer<typeof FileMessage>

/**
 * A conversation with all its branches as JSON, written by the export and read by the import. Its messages are
 * validated one by one.
 */
export const ConversationFileHead = z.object({
  format: z.literal(FILE_FORMAT),
  version: z.literal(1),
  title: z.string().max(1000),
  exported_at: Timestamp,
  /** End of the branch that was shown at the time. */
  head_message_id: Id.nullable(),
  /** Every message comes after the one it follows. */
  messages: z.array(z.unknown()).max(MESSAGES),
})
export type ConversationFile = Omit<z.infer<typeof ConversationFileHead>, 'messages'> & {
  readonly messages: readonly FileMessage[]
}

/** One branch of a conversation as readable Markdown. */
export function toMarkdown(title: string, messages: readonly Message[]): string {
  const blocks = [`# ${title || 'Conversation'}`]
  for (const message of messages) {
    blocks.push(
      `## ${message.role === 'user' ? 'You' : 'Reeve'} · ${message.created_at.slice(0, 16).replace('T', ' ')} UTC`,
    )
    blocks.push(...message.parts.map(partToMarkdown).filter((text) => text !== ''))
  }
  return `${blocks.join('\n\n')}\n`
}

function partToMarkdown(item: Part): string {
  switch (item.type) {
    case 'text':
      return item.text.trim()
    case 'reasoning':
      return item.text.trim() === '' ? '' : quote(`Thought: ${item.text.trim()}`)
    case 'tool_call': {
      const { module, tool, title, status, result_preview } = item.tool_call
      const lines = [
        `**${title}** (\`${module}.${tool}\`, ${status})`,
        fence(JSON.stringify(item.tool_call.arguments, null, 2), 'json'),
      ]
      return [...lines, ...(result_preview === null ? [] : [fence(result_preview, '')])].join('\n\n')
    }
    case 'file':
      return `Attached: ${item.file.name} (${item.file.size} bytes)`
    case 'table':
      return tableToMarkdown(item.table)
    case 'citation':
      return `[${item.title}](${item.href})`
    case 'facts':
      return fence(item.text, 'json')
    case 'notice':
      return quote(item.notice.text)
  }
}

function tableToMarkdown(table: z.infer<typeof Table>): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/[|\n\\]/g, (c) => (c === '\n' ? ' ' : `\\${c}`))).join(' | ')} |`
  const cut = table.total_rows > table.rows.length ? `\n\n${table.rows.length} of ${table.total_rows} rows` : ''
  return (
    [
      `**${table.title}**\n`,
      row(table.columns.map((column) => column.label)),
      row(table.columns.map(() => '---')),
      ...table.rows.map((cells) => row(table.columns.map((column) => String(cells[column.key] ?? '')))),
    ].join('\n') + cut
  )
}

function quote(text: string): string {
  return text.replace(/^/gm, '> ')
}

/** A fence longer than any run of backticks inside. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}`
}
