/** A text of at least three words that begins like a sentence and ends like one. */
const SENTENCE = /^(?:\p{Lu}|\$\{)[^\n]*\s[^\n]*\s[^\n]*[.?!]$/u
/** What only programmers, operators and models read: a fault of ours, a line of the log, what a schema says of itself. */
const FOR_OTHERS = /(?:new (?:Type|Range)?Error|\.(?:info|warn|error|debug|describe|refine))\($/

/** The sentences in a source that are written without say`…`: nobody could translate them. */
export function unsaidSentences(source: string): string[] {
  const code = source.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '').replace(/\s\/\/ .*$/gm, '')
  const found: string[] = []
  for (const match of code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)) {
    const before = code.slice(0, match.index).trimEnd()
    const text = match[1] ?? match[2] ?? ''
    if (SENTENCE.test(text) && !/\bsay$/.test(before) && !FOR_OTHERS.test(before)) found.push(text)
  }
  return found
}
