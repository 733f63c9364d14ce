import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client'
import type { Database, Reader } from '../../db/database.ts'
import { SealError, type Vault } from '../../kernel/vault.ts'
import type { Connectable } from './connectable.ts'

interface ClientKey {
  readonly module: string
  readonly issuer: string
  readonly redirect_uri: string
}

const purposeOf = ({ module, issuer, redirect_uri }: ClientKey) =>
  `module client\0${module}\0${issuer}\0${redirect_uri}`

/** How Reeve is known to an authorization server: as an administrator wrote down, else as it registered before. */
export async function knownClient(
  db: Reader,
  vault: Vault,
  { name: module, client: own }: Connectable,
  issuer: string,
  redirect_uri: string,
): Promise<OAuthClientInformationMixed | null> {
  if (own !== null) return own
  const key = { module, issuer, redirect_uri }
  const row = await db
    .selectFrom('module_client')
    .select('sealed')
    .where('module', '=', module)
    .where('issuer', '=', issuer)
    .where('redirect_uri', '=', redirect_uri)
    .executeTakeFirst()
  if (row === undefined) return null
  const client = opened(vault, key, row.sealed)
  if (client === null) return null
  const ends = 'client_secret_expires_at' in client ? Number(client.client_secret_expires_at ?? 0) : 0
  return ends !== 0 && ends * 1000 < Date.now() ? null : client
}

/** Null when this installation's key does not open it. */
function opened(vault: Vault, key: ClientKey, sealed: string): OAuthClientInformationMixed | null {
  try {
    return JSON.parse(vault.open(purposeOf(key), sealed)) as OAuthClientInformationMixed
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

export async function keepClient(db: Database, vault: Vault, key: ClientKey, client: object): Promise<void> {
  const sealed = vault.seal(purposeOf(key), JSON.stringify(client))
  await db.write
    .insertInto('module_client')
    .values({ ...key, sealed })
    .onConflict((conflict) => conflict.columns(['module', 'issuer', 'redirect_uri']).doUpdateSet({ sealed }))
    .execute()
}

/** The authorization server does not know this client any more: the next time that somebody connects, Reeve registers. */
export async function forgetClient(
  db: Database,
  vault: Vault,
  { module, issuer }: Omit<ClientKey, 'redirect_uri'>,
  client_id: string,
): Promise<void> {
  const rows = await db.write
    .selectFrom('module_client')
    .selectAll()
    .where('module', '=', module)
    .where('issuer', '=', issuer)
    .execute()
  for (const { sealed, ...key } of rows)
    if (opened(vault, key, sealed)?.client_id === client_id)
      await db.write.deleteFrom('module_client').where('module', '=', module).where('sealed', '=', sealed).execute()
}
