const SURE =
  /pass(?:word|wort|phrase|code|wd)|contraseña|пароль|口令|密码|\b(?:api|access|private|secret|auth)[ _-]?(?:key|token)\b/i
/** In a sentence these may mean anything; as the name of a field they do not. */
const NAMES = /\b(?:secret|token|credentials?|cvv|otp|pin)\b/i

/** Whether a module's form seems to ask for a secret: those belong into its settings, where they are kept sealed. */
export function asksForSecret(message: string, schema: Record<string, unknown>): boolean {
  if (SURE.test(message)) return true
  const properties = schema['properties']
  if (properties === null || typeof properties !== 'object') return false
  return Object.entries(properties).some(([name, field]: [string, unknown]) => {
    const { title, description, format, writeOnly } = (field ?? {}) as Record<string, unknown>
    if (format === 'password' || writeOnly === true) return true
    // `apiKey` and `api_key` in words.
    const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
    const names = [words, title].filter((text) => typeof text === 'string')
    return names.some((text) => NAMES.test(text) || SURE.test(text)) || SURE.test(String(description))
  })
}
