import { quoted, Sentence } from '../../kernel/sentence.ts'

/** Why a module does not do what it should, for an administrator; `message` is the English of `detail`. */
export class ModuleProblem extends Error {
  override readonly name: string = 'ModuleProblem'
  readonly detail: Sentence

  constructor(detail: Sentence, options?: ErrorOptions) {
    super(detail.toString(), options)
    this.detail = detail
  }
}

/** What an error says: its sentence if it has one, otherwise its message as it is. */
export function sentenceOf(error: unknown): Sentence {
  if (!(error instanceof Error)) return quoted(String(error))
  return 'detail' in error && error.detail instanceof Sentence ? error.detail : quoted(error.message)
}
