/** The address of a database server as given in a setting. */
export interface ServerAddress {
  readonly name: string
  readonly user: string
  readonly password: string | undefined
  /** Host name or address; null when `socket` is set. */
  readonly host: string | null
  readonly port: number
  /** Path of a Unix socket (MySQL) or of its folder (PostgreSQL). */
  readonly socket: string | null
  readonly database: string
  /** `required`: encrypted, whoever answers; `verified`: encrypted, and the certificate matches the host. */
  readonly tls: 'off' | 'required' | 'verified'
}

const TLS: Readonly<Record<string, ServerAddress['tls']>> = {
  disable: 'off',
  off: 'off',
  require: 'required',
  'verify-full': 'verified',
  verify: 'verified',
}

/**
 * Parses the address of a server.
 * @throws {Error} with a sentence that names the entry and the fault, never its password
 */
export function serverAddress(
  name: string,
  address: string,
  password: string | undefined,
  port: number,
): ServerAddress {
  const wrong = (why: string) => new Error(`The database ${name} in the setting "Databases" ${why}`)
  const url = URL.parse(address)
  if (url === null)
    throw wrong('has an address that cannot be read. It must look like postgres://user@host:5432/database.')
  if (url.password !== '') throw wrong('has a password in its address. Put it into the setting "Passwords" instead.')
  const user = decode(url.username)
  const database = decode(url.pathname.slice(1))
  if (user === '') throw wrong('names no user.')
  if (database === '') throw wrong('names no database.')
  let tls: ServerAddress['tls'] = 'off'
  let socket: string | null = null
  for (const [key, value] of url.searchParams) {
    if (key === 'sslmode' || key === 'ssl') {
      const wanted = Object.hasOwn(TLS, value) ? TLS[value] : undefined
      if (wanted === undefined) throw wrong(`has the unknown value ${key}=${value}.`)
      tls = wanted
    } else if ((key === 'host' || key === 'socket') && value.startsWith('/')) socket = value
    else if (/^(password|passwd|pwd)$/i.test(key))
      throw wrong('has a password in its address. Put it into the setting "Passwords" instead.')
    else throw wrong(`has the unknown option ${key}.`)
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (host === '' && socket === null) throw wrong('names no host.')
  return {
    name,
    user,
    password,
    host: socket === null ? decode(host) : null,
    port: Number(url.port || port),
    socket,
    database,
    tls,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
