import { cut } from '../../kernel/text/plain-text.ts'

const LIMIT = 31
// oxlint-disable-next-line no-control-regex
const REFUSED = /[[\]:*?/\\\0-\x1f\x7f]+/g

/** A name that every spreadsheet accepts and that isn't in `taken` yet, ignoring case. It is added to `taken`. */
export function sheetName(wanted: string, taken: Set<string>): string {
  const clean = (text: string): string =>
    text
      .trim()
      .replace(/^'+|'+$/g, '')
      .trim()
  let name = clean(cut(clean(wanted.toWellFormed().replace(REFUSED, ' ').replace(/\s+/g, ' ')), LIMIT)) || 'Sheet'
  // Excel reserves this name.
  if (name.toLowerCase() === 'history') name = `${name} 1`
  const base = name
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${clean(cut(base, LIMIT - ` ${n}`.length))} ${n}`
  taken.add(name.toLowerCase())
  return name
}
