import type { Texts } from './catalogue-files.ts'
import { cut, visible } from './text/plain-text.ts'

/** How what a module says about itself reads in one language. The model always reads the module's own text. */
export interface Wording {
  readonly language: string
  /** Whether there is a text in that language. */
  has(own: string): boolean
  /** The text in that language, or as it is when there is none. */
  text(own: string): string
}

/** The module's own texts. */
export const AS_WRITTEN: Wording = { language: 'en', has: () => false, text: (own) => own }

/** Room for a language that takes more words; every text that is shown is bounded, and so is its translation. */
const LONGER = 4
const SHORT = 80

/** Translations of strangers' modules are hostile like all of their texts, so each is bounded by the one it replaces. */
export function wordingFrom(language: string, texts: Texts): Wording {
  // Outsiders choose the keys, and what is looked up: `constructor` must not find the prototype's.
  const has = (own: string): boolean => Object.hasOwn(texts, own) && texts[own]!.trim() !== ''
  return {
    language,
    has,
    text: (own) => (has(own) ? cut(visible(texts[own]!), own.length * LONGER + SHORT) : own),
  }
}
