/** The key of an object that stands for the value of a parameter: `{"$param": "host"}`. */
export const PARAM_KEY = '$param'

/** The parameter that a value stands for: an object with this key and no other. Null: it is a value. */
export function paramOf(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, PARAM_KEY)) return null
  const { [PARAM_KEY]: param } = value as Record<string, unknown>
  return typeof param === 'string' && Object.keys(value).length === 1 ? param : null
}
