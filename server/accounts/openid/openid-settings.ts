/** The provider at which people may sign in, as the operator set it. */
export interface OpenidSettings {
  readonly issuer: URL
  readonly clientId: string
  /** Never logged; null for a client without one. */
  readonly clientSecret: string | null
  /** On the button of the sign-in page. */
  readonly name: string
  readonly scopes: string
  /** Claim that names a person's groups: a name, or a path with dots (`realm_access.roles`). */
  readonly roleClaim: string
  /** Group → name of a role; the first that a person has counts. Empty: roles are given here, not there. */
  readonly roles: readonly { readonly group: string; readonly role: string }[]
  /** Name of the role of people whose groups name none; null refuses them. */
  readonly defaultRole: string | null
  /** Which account that is here already belongs to a new person from there: by name, by e-mail address as name, or none. */
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

/** Reads the settings; null when no provider is set. @throws {Error} with a sentence for the operator */
export function readOpenidSettings(text: OpenidText): OpenidSettings | null {
  if (text.issuer === '') {
    if (text.clientId === '' && text.clientSecret === '') return null
    throw new Error('REEVE_OIDC_CLIENT_ID or REEVE_OIDC_CLIENT_SECRET is set and REEVE_OIDC_ISSUER is not: say where.')
  }
  if (text.clientId === '') throw new Error('REEVE_OIDC_ISSUER is set and REEVE_OIDC_CLIENT_ID is not.')
  const issuer = new URL(text.issuer)
  if (issuer.protocol !== 'https:' && !isLoopback(issuer.hostname))
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

/** Whether requests to this issuer never leave the machine, so that plain HTTP will do. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** `group=role,group=role`; with semicolons between them groups may have commas, and the last `=` separates. */
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
