import type { Token } from 'marked'
import { readTokens } from './markdown-lexer.ts'

/** A markdown source and its top-level blocks: carried over between two states of a growing text. */
export interface MarkdownBlocks {
  readonly source: string
  readonly blocks: readonly Token[]
}

export const noBlocks: MarkdownBlocks = { source: '', blocks: [] }

/**
 * The top-level blocks of `source`. When it grew from `previous`, all blocks but the last two keep their identity and
 * are not parsed again: later text can only change the last one or join it with the one before (a list and its next
 * number). Link definitions, which affect earlier blocks, take effect at the end, when the whole text is parsed without
 * `previous`.
 */
export function readBlocks(source: string, previous: MarkdownBlocks = noBlocks): MarkdownBlocks {
  if (source === previous.source) return previous
  const kept = source.startsWith(previous.source) ? previous.blocks.slice(0, settled(previous.blocks)) : []
  const length = kept.reduce((sum, block) => sum + block.raw.length, 0)
  return { source, blocks: [...kept, ...readTokens(source.slice(length))] }
}

/** Number of blocks that later text can no longer change. */
function settled(blocks: readonly Token[]): number {
  const last = blocks.findLastIndex((block) => block.type !== 'space')
  return Math.max(
    blocks.findLastIndex((block, index) => index < last && block.type !== 'space'),
    0,
  )
}

/** A row of a table whose rule has not come yet, or not whole, at the end of a text. */
const TABLE_HEAD = /(^|\n)( {0,3}\|[^\n]*)(\n[ |:-]*)?$/

/** Gives a table that has only begun its rule, so that its first words are a table already; null: there is none. */
export function healTable(source: string): string | null {
  const [all, before = '', head = '', rule] = TABLE_HEAD.exec(source) ?? []
  if (all === undefined || (rule === undefined && head.trim() === '|')) return null
  const cells = head
    .replaceAll('\\|', '')
    .replace(/^\s*\||\|\s*$/g, '')
    .split('|').length
  return `${source.slice(0, source.length - all.length)}${before}${rule === undefined ? healTail(head) : head}\n${'|---'.repeat(cells)}|`
}

/**
 * Closes constructs left open at the end of a growing text, so that half a link or bold word does not jump when
 * completed.
 */
export function healTail(source: string): string {
  const start = source.lastIndexOf('\n') + 1
  const line = source.slice(start)
  if (insideFence(source)) return source
  let healed = line.replace(/!\[[^\]]*(\]\([^)]*)?$/, '').replace(/\[([^\][]*)\]\([^)\s]*$/, '$1')
  if (/^\s*[*_-]+\s*$/.test(healed)) return source.slice(0, start) + healed
  if (count(healed, /`/g) % 2 === 1) return `${source.slice(0, start)}${healed}\``
  healed = healed.replace(/(\*\*|__|\*|_)$/, '')
  if (count(healed, /\*\*/g) % 2 === 1) healed = `${healed.trimEnd()}**`
  return source.slice(0, start) + healed
}

function insideFence(source: string): boolean {
  return count(source, /^ {0,3}(```|~~~)/gm) % 2 === 1
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
