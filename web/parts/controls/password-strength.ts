/** Kept equal to the contract's rule by its literal type; importing the value would pull in the schema library. */
export const PASSWORD_MIN: typeof import('../../../contract/credentials.ts').PASSWORD_MIN = 10

export type PasswordStrength = 'too_short' | 'weak' | 'fair' | 'good'

/**
 * A hint while typing, not the rule: the server decides. Length counts most; repetition, few kinds of characters and
 * the user's own name count against it.
 */
export function passwordStrength(password: string, username: string): PasswordStrength {
  if ([...password].length < PASSWORD_MIN) return 'too_short'
  const distinct = new Set(password.toLowerCase()).size
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(password)).length
  const name = username.trim().toLowerCase()
  if (distinct < 6 || (name.length > 2 && password.toLowerCase().includes(name))) return 'weak'
  const score = password.length + kinds * 2 + (distinct > 10 ? 2 : 0)
  return score >= 22 ? 'good' : score >= 16 ? 'fair' : 'weak'
}
