import { say, type Sentence } from '../../../kernel/sentence.ts'
import { BundleError } from '../bundle-error.ts'
import { Manifest } from './manifest.ts'
import { patternProblem } from '../settings/pattern-problem.ts'
import { ReeveMeta } from './reeve-meta.ts'
import { shownText } from './shown-text.ts'
import { parseStrictJson } from './strict-json.ts'

const SIZE_LIMIT = 1024 * 1024

/**
 * Parses the bytes of `manifest.json`: UTF-8 with or without a byte order mark, at most 1 MiB.
 * @throws {BundleError} `bad_manifest`, naming the key.
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > SIZE_LIMIT) throw bad(say`“manifest.json” is larger than 1 MiB.`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw bad(say`“manifest.json” is not UTF-8.`)
  }
  const parsed = Manifest.safeParse(parseStrictJson(text))
  if (!parsed.success) throw bad(say`“manifest.json”: ${firstIssue(parsed.error.issues)}.`)
  const meta = ReeveMeta.safeParse(parsed.data._meta?.['dev.reeve'] ?? {})
  if (!meta.success) throw bad(say`“manifest.json”, _meta["dev.reeve"]: ${firstIssue(meta.error.issues)}.`)
  for (const [key, { pattern }] of Object.entries(meta.data.settings ?? {})) {
    const problem = pattern === undefined ? null : patternProblem(pattern)
    if (problem !== null) throw bad(say`“manifest.json”: the pattern of the setting “${shownText(key)}” ${problem}.`)
  }
  return parsed.data
}

/** What the schema says is wrong, and where; zod says it in English only. */
function firstIssue(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const place = (issues[0]?.path ?? []).map(String).join('.')
  const fault = shownText(issues[0]?.message ?? '', 300)
  return place === '' ? fault : `“${shownText(place)}”: ${fault}`
}

function bad(detail: Sentence): BundleError {
  return new BundleError('bad_manifest', detail, 'manifest.json')
}
