import { BundleError } from './bundle-error.ts'
import { Manifest } from './manifest.ts'
import { patternProblem } from './pattern-problem.ts'
import { ReeveMeta } from './reeve-meta.ts'
import { shownText } from './shown-text.ts'
import { parseStrictJson } from './strict-json.ts'

const SIZE_LIMIT = 1024 * 1024

/**
 * The manifest in the bytes of `manifest.json`: UTF-8 with or without a byte order mark, at most 1 MiB.
 * @throws {BundleError} `bad_manifest`, naming the key.
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > SIZE_LIMIT) throw bad('“manifest.json” has more than 1 MiB.')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw bad('“manifest.json” is not UTF-8.')
  }
  let value: unknown
  try {
    value = parseStrictJson(text)
  } catch (error) {
    throw bad(`“manifest.json” cannot be read. ${shownText(error instanceof Error ? error.message : '', 300)}`)
  }
  const parsed = Manifest.safeParse(value)
  if (!parsed.success) throw bad(`“manifest.json”: ${sentence(parsed.error.issues)}`)
  const meta = ReeveMeta.safeParse(parsed.data._meta?.['dev.reeve'] ?? {})
  if (!meta.success) throw bad(`“manifest.json”, _meta["dev.reeve"]: ${sentence(meta.error.issues)}`)
  for (const [key, { pattern }] of Object.entries(meta.data.settings ?? {})) {
    const problem = pattern === undefined ? null : patternProblem(pattern)
    if (problem !== null) throw bad(`“manifest.json”, the pattern of the setting “${shownText(key)}” ${problem}.`)
  }
  return parsed.data
}

function sentence(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const [issue] = issues
  if (issue === undefined) return 'it is not usable.'
  const place = issue.path.length === 0 ? 'the whole' : `“${shownText(issue.path.map(String).join('.'))}”`
  return `${place}: ${shownText(issue.message, 300)}.`
}

function bad(message: string): BundleError {
  return new BundleError('bad_manifest', message, 'manifest.json')
}
