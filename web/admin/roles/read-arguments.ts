/** Arguments typed as JSON: null when empty, undefined when not a JSON object. */
export function readArguments(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    const usable = typeof value === 'object' && value !== null && !Array.isArray(value)
    return usable ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
