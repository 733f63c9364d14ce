/** A sentence of the server as its catalogue names it, with the file that says it. */
export interface SentenceTemplate {
  readonly template: string
  readonly values: number
}

/** The templates of every say`…` in a source: `Version {0} is older.` Throws where one has a template inside a value. */
export function sentenceTemplates(source: string): SentenceTemplate[] {
  const found: SentenceTemplate[] = []
  for (const { index } of source.matchAll(/\bsay`/g)) found.push(readTemplate(source, index + 'say`'.length))
  return found
}

function readTemplate(source: string, start: number): SentenceTemplate {
  let raw = ''
  let values = 0
  for (let at = start; at < source.length; at++) {
    const sign = source[at]
    if (sign === '`') return { template: cooked(raw), values }
    if (sign === '\\') raw += sign + source[++at]
    else if (sign === '$' && source[at + 1] === '{') {
      at = endOfValue(source, at + 2)
      raw += `{${values++}}`
    } else raw += sign
  }
  throw new Error('A sentence does not end.')
}

/** Place of the brace that closes a value. Quotes are skipped, because a text may hold a brace. */
function endOfValue(source: string, start: number): number {
  let depth = 1
  for (let at = start; at < source.length; at++) {
    const sign = source[at]!
    if (sign === '`') {
      // Another sentence inside is one of its own; any other template would be a piece that nobody can translate.
      if (!source.slice(0, at).endsWith('say'))
        throw new Error(`A template inside a sentence: ${source.slice(start, at + 40)}`)
      at = source.indexOf('`', at + 1)
    } else if (sign === "'" || sign === '"') at = endOfQuote(source, at)
    else if (sign === '{') depth++
    else if (sign === '}' && --depth === 0) return at
  }
  throw new Error('A value in a sentence does not end.')
}

function endOfQuote(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === source[start]) return at
  }
  return source.length
}

function cooked(raw: string): string {
  return raw.replace(/\\(.)/gs, (_, sign: string) => ({ n: '\n', t: '\t' })[sign] ?? sign)
}
