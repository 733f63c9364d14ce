import { Username } from '../../../contract/credentials.ts'
import type { OpenidSettings } from './openid-settings.ts'

/** What a provider says about a person who signed in there. */
export interface OpenidPerson {
  readonly issuer: string
  /** The provider's own id of the person: the only value that never changes. */
  readonly subject: string
  /** All claims, from the ID token and the user info. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** The name of the account a person gets here. */
export function usernameOf({ subject, claims }: OpenidPerson): string {
  for (const wanted of [claims['preferred_username'], verifiedEmail(claims), subject]) {
    if (typeof wanted !== 'string') continue
    const name = wanted
      .normalize('NFC')
      .replaceAll(/[^\p{L}\p{N}._@-]+/gu, '.')
      .slice(0, 64)
    if (Username.safeParse(name).success) return name
  }
  return 'person'
}

/** The name of the existing account that belongs to this person by the operator's rule; null if none does. */
export function linkedNameOf({ claims }: OpenidPerson, link: OpenidSettings['link']): string | null {
  if (link === 'off') return null
  const name = link === 'email' ? verifiedEmail(claims) : claims['preferred_username']
  return typeof name === 'string' && name !== '' ? name : null
}

/** The name shown to others; undefined when the provider does not give one. */
export function displayNameOf({ claims }: OpenidPerson): string | undefined {
  const { name } = claims
  return typeof name === 'string' ? name.trim().slice(0, 100) : undefined
}

/** Name of the role given by the groups; null: none, and there is no default. */
export function roleNameOf(
  { claims }: OpenidPerson,
  { roleClaim, roles, defaultRole }: Pick<OpenidSettings, 'roleClaim' | 'roles' | 'defaultRole'>,
): string | null {
  const found = claims[roleClaim] ?? roleClaim.split('.').reduce(member, claims)
  const groups: readonly unknown[] = Array.isArray(found) ? found : [found]
  return roles.find(({ group }) => groups.includes(group))?.role ?? defaultRole
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

/** Anyone can enter another person's address in a form: only one verified by the provider counts. */
function verifiedEmail(claims: OpenidPerson['claims']): unknown {
  return claims['email_verified'] === true ? claims['email'] : undefined
}
