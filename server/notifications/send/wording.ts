import type { Sentence } from '../../kernel/sentence.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'

/** Who reads a message. */
export interface Audience {
  readonly language: string
  /** IANA name. */
  readonly zone: string
  /** It may be told what a call would do. */
  readonly internal: boolean
  /** Null: whoever reads a shared channel. */
  readonly user_id: string | null
}

const LINE = 200

/** A sentence as one line. */
export function line(sentence: Sentence, language: string): string {
  return clean(sentence.in(language))
}

/** One line, with what cannot be seen made visible: titles come from modules and names from people. */
export function clean(text: string): string {
  return cut(visible(text.replaceAll(/\s+/g, ' ').trim()), LINE)
}

export function timeIn(at: number, language: string, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at)
}
