import { visible } from '../../kernel/text/plain-text.ts'

const MASK = '[secret]'
/** Shorter secrets are masked only as separate words; masked within words they would garble everything. */
const SHORT = 4
const BASE64_SHORTEST = 6

const patterns = new WeakMap<readonly string[], { readonly of: number; readonly pattern: RegExp | null }>()

/**
 * Masks every secret in the text by its value: as it is, as JSON, escaped, URL-encoded, in hexadecimal, and in base64
 * at any offset (as in `Basic` credentials).
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text
  let known = patterns.get(secrets)
  // Some lists grow, by a token that a server has been sent.
  if (known?.of !== secrets.length) patterns.set(secrets, (known = { of: secrets.length, pattern: patternOf(secrets) }))
  const { pattern } = known
  return pattern === null ? text : text.replace(pattern, MASK)
}

function patternOf(secrets: readonly string[]): RegExp | null {
  const long = new Set<string>()
  const short = new Set<string>()
  for (const secret of secrets.flatMap((value) => [value, value.trim()])) {
    if (secret === '') continue
    const forms = [secret, JSON.stringify(secret).slice(1, -1), visible(secret), ...urlForms(secret)]
    for (const form of forms) (secret.length < SHORT ? short : long).add(form)
    // The lines of a secret (a key in PEM) may appear one by one in a log.
    for (const line of secret.split(/\r?\n/)) if (line.length >= 16) long.add(line)
    if (secret.length < SHORT) continue
    long.add(Buffer.from(secret).toString('hex'))
    for (const form of base64Forms(secret)) long.add(form)
  }
  const alternatives = [
    ...[...long].sort((a, b) => b.length - a.length).map(literal),
    ...[...short].map((form) => `(?<!\\w)${literal(form)}(?!\\w)`),
  ]
  return alternatives.length === 0 ? null : new RegExp(alternatives.join('|'), 'g')
}

function urlForms(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed())
  return [encoded, encoded.replaceAll('%20', '+'), encoded.replace(/%../g, (escape) => escape.toLowerCase())]
}

/**
 * The base64 characters that depend on the secret alone, for each of the three offsets in a group at which it may
 * begin.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2]
    .map((before) =>
      Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
    )
    .filter((form) => form.length >= BASE64_SHORTEST)
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
