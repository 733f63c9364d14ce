import { cut, visible } from '../../../kernel/text/plain-text.ts'

/** Makes text from a bundle safe to quote in a sentence: one line, nothing invisible, at most `max` characters. */
export function shownText(text: string, max = 200): string {
  const shown = visible(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t'))
  return shown.length > max ? `${cut(shown, max)}…` : shown
}
