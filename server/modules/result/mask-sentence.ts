import { cut, visible } from '../../kernel/text/plain-text.ts'
import { quoted, Sentence } from '../../kernel/sentence.ts'
import { maskSecrets } from './mask-secrets.ts'

const LENGTH_LIMIT = 500

/** The sentence with secrets masked in whatever it quotes, each quotation readable and at most 500 characters long. */
export function maskSentence({ template, values }: Sentence, secrets: readonly string[]): Sentence {
  const shown = (text: string): string => cut(visible(maskSecrets(text, secrets)), LENGTH_LIMIT)
  // Without values it may be a quotation as a whole.
  if (values.length === 0) return quoted(shown(template))
  return new Sentence(
    template,
    values.map((value) =>
      typeof value === 'string' ? shown(value) : value instanceof Sentence ? maskSentence(value, secrets) : value,
    ),
  )
}
