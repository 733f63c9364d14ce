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

/** Control, bidirectional and invisible characters as visible escapes, so that what a person approves is what runs. */
export function visible(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0\u2800]/gu, (c) =>
    c === '\n' || c === '\t' ? c : `\\u{${c.codePointAt(0)!.toString(16)}}`,
  )
}

/** Cuts to at most `max` UTF-16 units without splitting a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const end = text.charCodeAt(max - 1) >= 0xd800 && text.charCodeAt(max - 1) <= 0xdbff ? max - 1 : max
  return text.slice(0, end)
}
