const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource: [],
  resource_link: ['uri', 'name'],
}
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/

/**
 * What is wrong with the form of a tool's result, as its author can mend it: the first place, what belongs there and what
 * is there. Null when nothing of that is wrong. Asked once the client has refused the result, so it need not know every rule.
 */
export function resultFault(result: unknown): string | null {
  if (!isRecord(result))
    return wrong('The result', 'an object such as {"content": [{"type": "text", "text": "…"}]}', result)
  const { content, structuredContent, isError } = result
  if (content !== undefined && !Array.isArray(content)) return wrong('content', 'a list of blocks', content)
  for (const [at, block] of (content ?? []).entries()) {
    const fault = blockFault(block, `content[${at}]`)
    if (fault !== null) return fault
  }
  if (structuredContent !== undefined && !isRecord(structuredContent))
    return wrong('structuredContent', 'an object', structuredContent)
  if (isError !== undefined && typeof isError !== 'boolean') return wrong('isError', 'true or false', isError)
  return null
}

function blockFault(block: unknown, place: string): string | null {
  if (!isRecord(block)) return wrong(place, 'an object such as {"type": "text", "text": "…"}', block)
  const { type } = block
  if (typeof type !== 'string' || !Object.hasOwn(BLOCKS, type))
    return wrong(`${place}.type`, `one of ${Object.keys(BLOCKS).join(', ')}`, type)
  for (const name of BLOCKS[type]!)
    if (typeof block[name] !== 'string') return wrong(`${place}.${name}`, 'text', block[name])
  if (typeof block['data'] === 'string' && 'mimeType' in block && !BASE64.test(block['data']))
    return `${place}.data must be base64.`
  return type === 'resource' ? resourceFault(block['resource'], `${place}.resource`) : null
}

function resourceFault(resource: unknown, place: string): string | null {
  if (!isRecord(resource)) return wrong(place, 'an object with "uri", and "text" or "blob"', resource)
  const { uri, text, blob } = resource
  if (typeof uri !== 'string') return wrong(`${place}.uri`, 'text', uri)
  if (typeof text === 'string') return null
  if (typeof blob !== 'string') return `${place} must have "text", or "blob" as base64.`
  return BASE64.test(blob) ? null : `${place}.blob must be base64.`
}

function wrong(place: string, expected: string, found: unknown): string {
  return `${place} must be ${expected}, ${found === undefined ? 'but is missing' : `not ${kindOf(found)}`}.`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return value.length <= 40 ? `the text ${JSON.stringify(value)}` : 'a text'
  if (typeof value === 'number') return `the number ${value}`
  return typeof value === 'object' ? 'an object' : `the value ${JSON.stringify(value)}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
