import { formatPatch, structuredPatch } from 'diff'

/** Differences beyond these are not looked for: the cost grows with their square. */
const EDITS = 5000
const CONTEXT = 3

/**
 * The difference between two texts as a unified diff, without headers; empty when they are equal, null when they differ
 * too much to be compared line by line.
 */
export function unifiedDiff(before: string, after: string): string | null {
  if (before === '' || after === '') return before === after ? '' : wholly(before, after)
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT, maxEditLength: EDITS })
  if (patch === undefined) return null
  if (patch.hunks.length === 0) return ''
  const text = formatPatch(patch)
  return text.slice(text.indexOf('@@'))
}

/** All lines added, or all removed. */
function wholly(before: string, after: string): string {
  const text = before || after
  const lines = text.split('\n')
  const ends = lines.at(-1) === ''
  if (ends) lines.pop()
  const sign = before === '' ? '+' : '-'
  const range = (count: number) => (count === 0 ? '0,0' : `1,${count}`)
  const head = before === '' ? `-0,0 +${range(lines.length)}` : `-${range(lines.length)} +0,0`
  const end = ends ? '' : '\\ No newline at end of file\n'
  return `@@ ${head} @@\n${lines.map((line) => `${sign}${line}\n`).join('')}${end}`
}

/** Bytes as text where they are UTF-8 without NUL; null where they are not. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
