import { say, type Sentence } from '../../../kernel/sentence.ts'
import { BundleError } from '../bundle-error.ts'
import { shownText } from './shown-text.ts'

const DEPTH_LIMIT = 64

/**
 * Parses JSON that is nested at most 64 deep and in which no object has a duplicate key or a key named `__proto__`, so
 * that no two readers can see different things in it.
 * @throws {BundleError} `bad_manifest`
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const why = shownText(error instanceof Error ? error.message : String(error), 300)
    throw bad(say`“manifest.json” isn’t valid JSON (${why}).`)
  }
  checkKeys(text)
  return value
}

/** Scans text that is known to be JSON; only strings and brackets matter. */
function checkKeys(text: string): void {
  const open: (Set<string> | null)[] = []
  let expectKey = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') {
      const start = at
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++
      if (expectKey) checkKey(open.at(-1)!, JSON.parse(text.slice(start, at + 1)) as string)
      expectKey = false
    } else if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? new Set() : null)
      if (open.length > DEPTH_LIMIT) throw bad(say`“manifest.json” is nested more than ${DEPTH_LIMIT} levels deep.`)
      expectKey = sign === '{'
    } else if (sign === '}' || sign === ']') {
      open.pop()
      expectKey = false
    } else if (sign === ',') {
      expectKey = open.at(-1) instanceof Set
    }
  }
}

function checkKey(keys: Set<string> | null, key: string): void {
  if (key === '__proto__') throw bad(say`“manifest.json” has a key named “__proto__”.`)
  if (keys?.has(key)) throw bad(say`“manifest.json” has the key “${shownText(key)}” twice in the same object.`)
  keys?.add(key)
}

function bad(detail: Sentence): BundleError {
  return new BundleError('bad_manifest', detail, 'manifest.json')
}
