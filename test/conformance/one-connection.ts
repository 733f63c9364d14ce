/** A connection by OAuth as the service makes it, kept in memory, with a browser that agrees to everything. */
import { randomUUID } from 'node:crypto'
import {
  beginAuthorization,
  finishAuthorization,
  type Grant,
  renewGrant,
} from '../../server/modules/connections/authorization.ts'
import { NotConnected, type RemoteAccess } from '../../server/modules/spec/remote-access.ts'

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>
const REDIRECT_URI = 'http://localhost:3000/callback'
/** The address that the suite knows for clients with a document about themselves. */
const CLIENT_URL = 'https://conformance-test.local/client-metadata.json'

export function oneConnection(server: string, fetch: Fetch, known: { client_id?: string; client_secret?: string }) {
  let grant: Grant | null = null
  let challenge: string | null = null
  const clients = new Map<string, object>()
  const connection = {
    broken: false,
    async connect(): Promise<void> {
      const { client_id, client_secret } = known
      const own = client_id === undefined ? null : { client_id, ...(client_secret !== undefined && { client_secret }) }
      const asking = {
        server,
        fetch,
        redirect_uri: REDIRECT_URI,
        client_url: CLIENT_URL,
        challenge,
        scope: grant?.scope ?? null,
        known: (issuer: string) =>
          Promise.resolve(own ?? ((clients.get(issuer) ?? null) as { client_id: string } | null)),
        keep: (issuer: string, client: object) => Promise.resolve(void clients.set(issuer, client)),
      }
      const { url, pending } = await beginAuthorization(asking, randomUUID())
      const { headers } = await fetch(url, { redirect: 'manual' })
      const { searchParams } = new URL(headers.get('location') ?? '')
      const value = (name: string) => searchParams.get(name) ?? undefined
      grant = await finishAuthorization(pending, { code: value('code'), iss: value('iss') }, fetch, Date.now())
      connection.broken = false
      challenge = null
    },
  }
  const held = (): Grant => {
    if (grant === null || connection.broken) throw new NotConnected()
    return grant
  }
  const access: RemoteAccess = {
    token: () => Promise.resolve(held().access_token),
    async renewed() {
      try {
        return (grant = await renewGrant(held(), fetch, Date.now())).access_token
      } catch {
        connection.broken = true
        throw new NotConnected()
      }
    },
    ended({ header }) {
      connection.broken = true
      challenge = header
      return Promise.resolve(new NotConnected())
    },
  }
  return Object.assign(connection, { access })
}
