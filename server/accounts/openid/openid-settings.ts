import { isLoopback } from '../../kernel/network/loopback.ts'

/** The provider through which users may sign in, as configured by the operator. */
export interface OpenidSettings {
  readonly issuer: URL
  readonly clientId: string
  /** Never logged; null for a client without one. */
  readonly clientSecret: string | null
  /** Shown on the button of the sign-in page. */
  readonly name: string
  readonly scopes: string
  /** Claim containing a person's groups: a name, or a path with dots (`realm_access.roles`). */
  readonly roleClaim: string
  /** Group → name of a role; the person's first match counts. Empty: roles are assigned here, not there. */
  readonly roles: readonly { readonly group: string; readonly role: string }[]
  /** Name of the role for people whose groups match none; null refuses them. */
  readonly defaultRole: string | null
  /**
   * Which existing account a new person from there is linked to: the one with that name, with their e-mail address as
   * its name, or none.
   */
  readonly link: 'off' | 'username' | 'email'
}

interface OpenidText {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly name: string
  readonly scopes: string
  readonly roleClaim: string
  readonly roles: string
  readonly defaultRole: string
  readonly link: OpenidSettings['link']
}

/** Parses the settings; null when no provider is set. @throws {Error} with a sentence for the operator */
export function readOpenidSettings(text: OpenidText): OpenidSettings | null {
  if (text.issuer === '') {
    if (text.clientId === '' && text.clientSecret === '') return null
    throw new Error('REEVE_OIDC_CLIENT_ID or REEVE_OIDC_CLIENT_SECRET is set and REEVE_OIDC_ISSUER is not: say where.')
  }
  if (text.clientId === '') throw new Error('REEVE_OIDC_ISSUER is set and REEVE_OIDC_CLIENT_ID is not.')
  const issuer = new URL(text.issuer)
  if (issuer.protocol !== 'https:' && !isOnThisMachine(issuer))
    throw new Error('REEVE_OIDC_ISSUER must begin with https:// (http:// only for a provider on this machine).')
  const scopes = text.scopes.split(/\s+/).filter(Boolean)
  if (!scopes.includes('openid')) throw new Error('REEVE_OIDC_SCOPES must have the scope openid.')
  return {
    issuer,
    clientId: text.clientId,
    clientSecret: text.clientSecret || null,
    name: text.name || issuer.hostname,
    scopes: scopes.join(' '),
    roleClaim: text.roleClaim,
    roles: readRoles(text.roles),
    defaultRole: text.defaultRole || null,
    link: text.link,
  }
}

/** Whether requests to this issuer never leave the machine, so that plain HTTP is acceptable. */
export function isOnThisMachine(issuer: URL): boolean {
  return isLoopback(issuer.hostname.replace(/^\[(.*)\]$/, '$1'))
}

/** `group=role,group=role`; separated by semicolons, groups may contain commas, and the last `=` separates. */
function readRoles(text: string): OpenidSettings['roles'] {
  return text
    .split(text.includes(';') ? ';' : ',')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => {
      const at = pair.lastIndexOf('=')
      const group = pair.slice(0, Math.max(at, 0)).trim()
      const role = pair.slice(at + 1).trim()
      if (group === '' || role === '')
        throw new Error(`REEVE_OIDC_ROLES must look like “group=role,other group=other role”; “${pair}” does not.`)
      return { group, role }
    })
}
