import { fold } from '../../kernel/text/plain-text.ts'

/**
 * Code points whose folded form is a different single character: letters with accents, capitals, other widths. CJK and
 * Hangul have none.
 */
const RANGES = [
  [0x20, 0x33ff],
  [0xa640, 0xabff],
  [0xf900, 0xffef],
] as const

let variants: ReadonlyMap<string, string> | null = null

/** Every character by its folded form; built when the first text is searched. */
function variantsOf(folded: string): string {
  if (variants === null) {
    const found = new Map<string, string>()
    for (const [from, to] of RANGES)
      for (let code = from; code <= to; code++) {
        const char = String.fromCharCode(code)
        const plain = fold(char)
        if (plain !== char && plain.length === 1) found.set(plain, (found.get(plain) ?? '') + char)
      }
    variants = found
  }
  return variants.get(folded) ?? ''
}

/**
 * A regular expression (RE2) that finds a text regardless of case, accents, width and ё/е; null when nothing of it
 * would be left. Folding every cell instead would cost five times as much.
 */
export function foldPattern(text: string): string | null {
  // Composed again: Hangul syllables are letters, not marks.
  const folded = fold(text).normalize('NFC')
  if (folded === '') return null
  const marks = '\\p{M}*'
  const parts = [...folded].map((char) => {
    const others = variantsOf(char)
    const one = others === '' ? literal(char) : `[${[...char, ...others].map(literal).join('')}]`
    return /\p{L}/u.test(char) ? one + marks : one
  })
  return parts.join('')
}

function literal(char: string): string {
  return /[\p{L}\p{N}\p{M}]/u.test(char) ? char : `\\x{${char.codePointAt(0)!.toString(16)}}`
}
