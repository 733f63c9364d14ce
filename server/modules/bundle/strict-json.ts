const DEPTH_LIMIT = 64

/**
 * Parses JSON in which no object has a key twice or a key named `__proto__`, nested at most 64 deep: two readers cannot see two things.
 * @throws {Error} with a sentence.
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`It is no JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}.`)
  }
  checkKeys(text)
  return value
}

/** Walks over text that is known to be JSON: only strings, and what opens and closes, matter. */
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
      if (open.length > DEPTH_LIMIT) throw new Error(`It is nested more than ${DEPTH_LIMIT} deep.`)
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
  if (key === '__proto__') throw new Error('It has a key named “__proto__”.')
  if (keys?.has(key)) throw new Error(`It has the key “${key}” twice in one place.`)
  keys?.add(key)
}
