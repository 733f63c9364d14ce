import { cut, visible } from '../../kernel/text/plain-text.ts'

/** Characters of a label; more wouldn't fit above a column. */
export const LABEL_LENGTH = 60

/** A text as a label: one line, no invisible characters, not too long. Empty when nothing is left. */
export function cleanLabel(text: string): string {
  const line = text.toWellFormed().replace(/\s+/gu, ' ').trim()
  return cut(visible(line), LABEL_LENGTH).trim()
}
