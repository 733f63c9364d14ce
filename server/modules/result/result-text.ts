import type { CallToolResult } from '@modelcontextprotocol/client'
import type { Table } from '../../../contract/chat.ts'
import { RESULT_TEXT_LIMIT } from '../../chat/ports/tools.ts'
import { canonicalJson } from '../../kernel/text/canonical.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'
import { readableText } from './readable-text.ts'
import { tableText } from './table-text.ts'

/** If a tool returns tables and a longer text, the text is assumed to cover what is in them. */
const SUMMARY_LENGTH = 2000

/**
 * What the model reads of a result: its text, and its tables if the text is only a summary of them. At most
 * RESULT_TEXT_LIMIT characters, with a last line saying so if it was cut. `lines` says, by block, what became of files,
 * `fault` why there are no tables although there seem to be some.
 */
export function resultText(
  result: CallToolResult,
  tables: readonly Table[],
  lines: ReadonlyMap<CallToolResult['content'][number], string>,
  fault: string | null,
): string {
  const structured = result.structuredContent
  const texts = result.content
    .map((block) => lines.get(block) ?? contentText(block))
    // MCP asks servers to repeat structured content as JSON text; once is enough.
    .filter((text) => text !== '' && !repeats(text, structured))
  const parts = [...texts]
  if (tables.length > 0 && texts.join('').length <= SUMMARY_LENGTH) {
    const share = Math.floor((RESULT_TEXT_LIMIT - SUMMARY_LENGTH * 2) / tables.length)
    parts.push(...tables.map((table) => tableText(table, share)))
  } else if (parts.length === 0 && structured !== undefined) {
    parts.push(JSON.stringify(structured))
  }
  if (fault !== null) parts.push(`[Its tables are not shown: ${fault}]`)
  return boundText(parts.length === 0 ? 'The tool ended and returned nothing.' : parts.join('\n\n'))
}

/**
 * Makes hidden characters visible and cuts to RESULT_TEXT_LIMIT characters; the last line then says what is missing.
 */
export function boundText(text: string): string {
  // Escapes make it longer, hence the second check; a flood is cut before it is scanned.
  const readable = storable(readableText(cut(text, RESULT_TEXT_LIMIT + 1)))
  if (text.length <= RESULT_TEXT_LIMIT && readable.length <= RESULT_TEXT_LIMIT) return readable
  const note = `\n[Cut here: the result has ${text.length} characters, the first ${RESULT_TEXT_LIMIT - 100} are shown.]`
  return cut(readable, RESULT_TEXT_LIMIT - 100) + note
}

function contentText(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `[link to ${block.name}: ${block.uri}]`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : ''
    default:
      return ''
  }
}

function repeats(text: string, structured: unknown): boolean {
  if (structured === undefined || !text.trimStart().startsWith('{')) return false
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(structured)
  } catch {
    return false
  }
}
