import { cut, storable } from '../../kernel/text/plain-text.ts'

/** Characters of a title that nobody wrote as one. */
const LONGEST = 80

/** The name of a conversation until something better comes: its first words, without the marks of Markdown. */
export function nameAfter(message: string): string {
  const lines = storable(message).split('\n')
  return shortened(lines.map(withoutMarks).find((line) => line !== '') ?? '')
}

/** `Disk usage: /var` for `/system.disk path=/var`: the tool's title and the first value that it is given. */
export function nameOfCommand(title: string, rest: string): string {
  const [, quoted, bare] = /^(?:[\w-]+=)?(?:"([^"]*)"|(\S+))/.exec(rest.trim()) ?? []
  const main = (quoted ?? (bare?.startsWith('{') ? '' : bare) ?? '').trim()
  return shortened(storable(main === '' ? title : `${title}: ${main}`))
}

/** What an engine answered, as a title: one line, without marks, quotes and labels. Empty if nothing is left. */
export function readTitle(answer: string): string {
  const line = storable(answer)
    .split('\n')
    .map((one) => withoutMarks(one.replace(/[\p{Cc}\p{Cf}]/gu, ' ')))
    .find((one) => one !== '')
  const plain = (line ?? '')
    .replace(/^\p{L}{2,12}\s*:\s*(?=["'“„«「])/u, '')
    .replace(/^["'“”„«»「」『』‘’]+|["'“”„«»「」『』‘’]+$/gu, '')
    .replace(/[.。]+$/u, '')
  return shortened(plain.replace(/\s+/g, ' ').trim())
}

function withoutMarks(line: string): string {
  return line
    .replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+|`{3,}\S*)/, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__(?=\S)|(?<=\S)__|`/g, '')
    .trim()
}

function shortened(line: string): string {
  return line.length > LONGEST ? `${cut(line, LONGEST - 1).trimEnd()}…` : line
}
