import { formatPatch, structuredPatch } from 'diff'

/** Differing lines beyond these are not matched with each other: the cost grows with their square. */
const EDITS = 1000
const CONTEXT = 3

/**
 * The difference between two texts as a unified diff without headers; empty when they are equal. Texts that differ too
 * much are replaced as a whole: all lines out, all lines in.
 */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return ''
  const patch =
    before === '' || after === ''
      ? undefined
      : structuredPatch('', '', before, after, '', '', { context: CONTEXT, maxEditLength: EDITS })
  if (patch === undefined) return wholly(before, after)
  const text = formatPatch(patch)
  return text.slice(text.indexOf('@@'))
}

function wholly(before: string, after: string): string {
  const [old, now] = [side('-', before), side('+', after)]
  return `@@ -${old.range} +${now.range} @@\n${old.text}${now.text}`
}

function side(sign: string, text: string): { readonly range: string; readonly text: string } {
  if (text === '') return { range: '0,0', text: '' }
  const lines = text.split('\n')
  const ends = lines.at(-1) === ''
  if (ends) lines.pop()
  const end = ends ? '' : '\\ No newline at end of file\n'
  return { range: `1,${lines.length}`, text: `${lines.map((line) => `${sign}${line}\n`).join('')}${end}` }
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
