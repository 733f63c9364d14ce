export { visible } from '../../../contract/visible-text.ts'

/**
 * Folds text for comparing and searching: case, accents, width and ё/е are equal, in any language. SQLite's lower()
 * knows only ASCII, so folding happens here and never in SQL.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ё', 'е')
}

/**
 * Text that both databases store unchanged: no NUL and no lone surrogate (each becomes U+FFFD). Length stays the same.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** A LIKE pattern (with `ESCAPE '\'`) that matches `text` anywhere, every character literal. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Cuts to at most `max` UTF-16 units without splitting a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const end = text.charCodeAt(max - 1) >= 0xd800 && text.charCodeAt(max - 1) <= 0xdbff ? max - 1 : max
  return text.slice(0, end)
}
