import type { z } from 'zod'
import { de, en, es, fr, ja, pt, ru, uk, zhCN } from 'zod/locales'
import { AppError } from '../../kernel/app-error.ts'
import { quoted, say } from '../../kernel/sentence.ts'

const MOST = 50

/** Sentences for wrong fields in the reader's language, by primary language tag. */
const SENTENCES: Readonly<Record<string, ReturnType<typeof en>['localeError']>> = Object.freeze({
  en: en().localeError,
  de: de().localeError,
  es: es().localeError,
  fr: fr().localeError,
  pt: pt().localeError,
  ru: ru().localeError,
  uk: uk().localeError,
  zh: zhCN().localeError,
  ja: ja().localeError,
})

/**
 * Checks one part of a request against the contract.
 * @throws {AppError} invalid_request with the path and a sentence for each wrong field
 */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown, language: string): z.output<S> {
  const first = schema.safeParse(value)
  if (first.success) return first.data
  // Parsed a second time only on failure, so that choosing the language costs valid requests nothing.
  const second = schema.safeParse(value, { error: SENTENCES[language] ?? SENTENCES.en })
  throw invalidRequest((second.error ?? first.error).issues)
}

function invalidRequest(issues: readonly z.core.$ZodIssue[]): AppError {
  const errors = issues
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: issue.message }))
        : [{ path: pathOf(issue.path), message: issue.message }],
    )
    .slice(0, MOST)
  const [first] = errors
  const detail = first === undefined ? say`The request does not have the expected shape.` : quoted(sentence(first))
  return new AppError('invalid_request', detail, { errors })
}

function sentence({ path, message }: { path: string; message: string }): string {
  return path === '' ? message : `${path}: ${message}`
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.').slice(0, 200)
}
