import { readableText } from './readable-text.ts'

/** Members of a schema that only describe: they are shown readable, so what hides in them is no reason to refuse a tool. */
const DESCRIBES = new Set(['title', 'description', '$comment'])

/**
 * True when a schema hides something where its text must stay as it is: in values to choose from, defaults, or names of arguments.
 * A model reads these letter by letter, and a person does not see them. Control characters stand as escapes in JSON anyway, and are
 * honest in a default such as a line end.
 */
export function hidesValues(schema: unknown): boolean {
  if (typeof schema === 'string') return hides(schema)
  if (Array.isArray(schema)) return schema.some(hidesValues)
  if (schema === null || typeof schema !== 'object') return false
  return Object.entries(schema).some(
    ([key, value]) => hides(key) || (!(DESCRIBES.has(key) && typeof value === 'string') && hidesValues(value)),
  )
}

function hides(text: string): boolean {
  const uncontrolled = text.replace(/\p{Cc}/gu, '')
  return readableText(uncontrolled) !== uncontrolled
}
