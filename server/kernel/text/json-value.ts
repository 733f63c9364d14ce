/** The value that a text is JSON of; undefined where it is not JSON. */
export function jsonValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
