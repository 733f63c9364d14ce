/** Everything that a terminal or browser does not show as itself, except line breaks and tabs. */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]/gu
const JOINERS = ['\u200c', '\u200d']

/**
 * Text of a module made safe for people and models: control characters (and with them ANSI sequences), bidirectional
 * and invisible characters become visible escapes. Those that scripts and emoji need stay: joiners, and one variation
 * selector after a non-ASCII character.
 */
export function readableText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (character, index: number) => {
    if (character === '\n' || character === '\t') return character
    const before = text.codePointAt(index - 1) ?? 0
    const selector = /[\ufe00-\ufe0f]/.test(character)
    const afterSelector = before >= 0xfe00 && before <= 0xfe0f
    if (selector && before > 0x7f && !afterSelector) return character
    if (JOINERS.includes(character) && before > 0x7f && before !== 0x200c && before !== 0x200d) return character
    return `\\u{${character.codePointAt(0)!.toString(16)}}`
  })
}
