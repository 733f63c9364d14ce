import { cut, storable } from '../../kernel/text/plain-text.ts'
import { withoutMarks } from '../../kernel/text/without-marks.ts'

/** Characters of a title that nobody wrote as one. */
const LONGEST = 80
/** UTF-16 units of a message in which its first words are looked for. */
const NAMED_AFTER = 2000

/** The name of a conversation until something better comes: its first words, without the marks of Markdown. */
export function nameAfter(message: string): string {
  const start = storable(cut(message.trimStart(), NAMED_AFTER))
  return shortened(firstLine(start.startsWith('/') ? '' : withoutMarks(start)) || firstLine(start))
}

/**
 * `Disk usage: /var` for `/system.disk path=/var`: the tool's title, and the value of its main argument or the first one
 * that is given.
 */
export function nameOfCommand(
  { title, main_argument }: { readonly title: string; readonly main_argument: string | null },
  rest: string,
): string {
  const words = cut(rest.trim(), NAMED_AFTER)
  const given = words.startsWith('{') ? [] : [...words.matchAll(/(?<=^|\s)(?:([\w-]+)=)?(?:"([^"]*)"|(\S+))/g)]
  const [, , quoted, bare] = given.find(([, name]) => name !== undefined && name === main_argument) ?? given[0] ?? []
  const value = (quoted ?? bare ?? '').trim()
  return shortened(storable(value === '' ? title : `${title}: ${value}`))
}

/** What an engine answered, as a title: one line, without marks, quotes and labels. Empty if nothing is left. */
export function readTitle(answer: string): string {
  const plain = firstLine(withoutMarks(storable(answer).replace(/[^\P{C}\n]/gu, ' ')))
    .replace(/^\p{L}{2,12}\s*:\s*(?=["'“„«「])/u, '')
    .replace(/^["'“”„«»「」『』‘’]+|["'“”„«»「」『』‘’]+$/gu, '')
    .replace(/[.。]+$/u, '')
  return shortened(plain.replace(/\s+/g, ' ').trim())
}

function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  )
}

function shortened(line: string): string {
  return line.length > LONGEST ? `${cut(line, LONGEST - 1).trimEnd()}…` : line
}
