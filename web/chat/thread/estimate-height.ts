import type { Message } from '../../../contract/chat.ts'
import { type Block, blocksOf } from '../calls/blocks.ts'

const LINE_PX = 26
const CHARACTERS_PER_LINE = 88
const GAP_PX = 12
const CARD_PX = 260

/** Estimated height of a message in pixels before it is rendered: close enough that the scroll bar does not jump. */
export function estimateHeight(message: Message): number {
  const person = message.role === 'user'
  const width = person ? CHARACTERS_PER_LINE * 0.8 : CHARACTERS_PER_LINE
  return blocksOf(message.parts).reduce((sum, block) => sum + blockHeight(block, width) + GAP_PX, 0) + 64
}

function blockHeight(block: Block, width: number): number {
  if (block.kind === 'work') {
    // Folded: a line for all of them, and what each shows outside.
    return block.calls.reduce((sum, { part, tables, files }) => {
      const waiting = part.approval?.status === 'pending' ? CARD_PX : 0
      const open = part.direct === true ? tables.reduce((all, { table }) => all + tableHeight(table.rows.length), 0) : 0
      return sum + waiting + open + files.length * 46
    }, 38)
  }
  const { part } = block
  if (part.type === 'text') return textHeight(part.text, width)
  return part.type === 'table' ? tableHeight(part.table.rows.length) : 32
}

function tableHeight(rows: number): number {
  return 38 + Math.min(384, 33 * (rows + 1))
}

/** Only the beginning is counted line by line: estimating must cost less than rendering. */
function textHeight(text: string, width: number): number {
  const counted = text.slice(0, 4000)
  const lines = counted.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0)
  return Math.ceil((lines * text.length) / Math.max(1, counted.length)) * LINE_PX
}
