/** One `key=value` of a command; `key` is null for a bare word. A `quoted` value is text, whatever it looks like. */
export interface ArgumentToken {
  readonly key: string | null
  readonly text: string
  readonly quoted: boolean
}

const KEY = /^([\p{L}_$][\p{L}\p{N}_$.-]*)=/u
const CLOSING: Record<string, string> = { '[': ']', '{': '}' }

/**
 * Splits `a=1 b="two words" c=['x', "y z"] d={…}` at the spaces outside quotes and brackets.
 * `open` instead of a list: the quote or bracket that is never closed.
 */
export function argumentTokens(text: string): { list: ArgumentToken[] } | { open: string } {
  const list: ArgumentToken[] = []
  let at = 0
  while (true) {
    while (/\s/.test(text[at] ?? '')) at++
    if (at >= text.length) return { list }
    const key = KEY.exec(text.slice(at))?.[1] ?? null
    if (key !== null) at += key.length + 1
    const first = text[at] ?? ''
    if (first === '"' || first === "'") {
      const quoted = readQuoted(text, at)
      if (quoted === null) return { open: first }
      list.push({ key, text: quoted.value, quoted: true })
      at = quoted.end
    } else if (first in CLOSING) {
      const end = bracketEnd(text, at)
      if (end === null) return { open: first }
      list.push({ key, text: text.slice(at, end), quoted: false })
      at = end
    } else {
      const word = /^\S*/.exec(text.slice(at))![0]
      list.push({ key, text: word, quoted: false })
      at += word.length
    }
  }
}

/** The text between quotes; `\"` and `\\` stand for the character, every other backslash for itself (Windows paths). */
function readQuoted(text: string, start: number): { value: string; end: number } | null {
  const quote = text[start]!
  let value = ''
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === quote) return { value, end: at + 1 }
    if (text[at] === '\\' && (text[at + 1] === quote || text[at + 1] === '\\')) at++
    value += text[at]
  }
  return null
}

/** Index after the bracket that closes the one at `start`; brackets in JSON strings do not count. */
function bracketEnd(text: string, start: number): number | null {
  const open: string[] = []
  for (let at = start; at < text.length; at++) {
    const character = text[at]!
    if (character === '"') {
      const quoted = readQuoted(text, at)
      if (quoted === null) return null
      at = quoted.end - 1
    } else if (character in CLOSING) open.push(CLOSING[character]!)
    else if (character === open.at(-1)) {
      open.pop()
      if (open.length === 0) return at + 1
    }
  }
  return null
}
