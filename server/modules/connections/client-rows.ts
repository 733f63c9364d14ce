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
  try {
    const client = JSON.parse(vault.open(purposeOf(key), row.sealed)) as OAuthClientInformationMixed
    const ends = 'client_secret_expires_at' in client ? Number(client.client_secret_expires_at ?? 0) : 0
    return ends !== 0 && ends * 1000 < Date.now() ? null : client
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
