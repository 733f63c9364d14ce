import { Sentence } from '../../server/kernel/sentence.ts'

/** Matches a sentence whose English is, or matches, `wanted`: as a value in what `toMatchObject` or `toEqual` expects. */
export function saying(wanted: string | RegExp): unknown {
  return {
    asymmetricMatch: (value: unknown) => {
      if (!(value instanceof Sentence)) return false
      const said = value.toString()
      return typeof wanted === 'string' ? said.includes(wanted) : wanted.test(said)
    },
    toString: () => `Saying(${String(wanted)})`,
  }
}
