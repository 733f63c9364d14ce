import type { Message } from '../../../contract/chat.ts'

const LINE_PX = 26
const CHARACTERS_PER_LINE = 88

/** Estimated height of a message in pixels before it is rendered: close enough that the scroll bar does not jump. */
export function estimateHeight(message: Message): number {
  const person = message.role === 'user'
  const parts = message.parts.map((part) => {
    switch (part.type) {
      case 'text':
        return textHeight(part.text, person ? CHARACTERS_PER_LINE * 0.8 : CHARACTERS_PER_LINE)
      case 'table':
        return 38 + Math.min(384, 33 * (part.table.rows.length + 1))
      default:
        return 44
    }
  })
  return parts.reduce((sum, height) => sum + height, 0) + (person ? 76 : 64)
}

/** Only the beginning is counted line by line: estimating must cost less than rendering. */
function textHeight(text: string, width: number): number {
  const counted = text.slice(0, 4000)
  const lines = counted.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0)
  return Math.ceil((lines * text.length) / Math.max(1, counted.length)) * LINE_PX
}
