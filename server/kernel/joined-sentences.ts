import { quoted, say, type Sentence } from './sentence.ts'

/** Joins sentences into running text. */
export function inARow(sentences: readonly [Sentence, ...Sentence[]]): Sentence {
  return sentences.reduce((before, next) => say`${before} ${next}`)
}

/** Joins names: `a and b and c`. */
export function allOf(names: readonly string[]): Sentence {
  const [first = '', ...others] = names
  return others.reduce((before, next) => say`${before} and ${next}`, quoted(first))
}
