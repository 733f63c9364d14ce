import type { OauthClient } from '../../../contract/oauth.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newId } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import { endAccess } from './end-access.ts'
import type { OauthContext } from './oauth-context.ts'

type Parts = Pick<OauthContext, 'db' | 'audit'>

/** Clients that administrators have registered, newest first. */
export async function listClients({ db }: Pick<OauthContext, 'db'>): Promise<OauthClient[]> {
  const rows = await db.read.selectFrom('oauth_client').selectAll().orderBy('client_id', 'desc').execute()
  return rows.map(({ client_id, name, redirect_uris, created_at }) => ({
    client_id,
    name,
    redirect_uris: JSON.parse(redirect_uris) as string[],
    created_at: iso(created_at),
  }))
}

export async function addClient(
  { db, audit }: Parts,
  caller: Caller,
  body: Pick<OauthClient, 'name' | 'redirect_uris'>,
): Promise<OauthClient> {
  const client_id = newId('oauth')
  const name = storable(body.name)
  const redirect_uris = [...new Set(body.redirect_uris.map(storable))]
  const created_at = Date.now()
  await db.transaction(async (trx) => {
    await trx
      .insertInto('oauth_client')
      .values({ client_id, name, redirect_uris: JSON.stringify(redirect_uris), created_at })
      .execute()
    const details = { name, redirect_uris }
    await audit.record(trx, { actor: caller, action: 'oauth.client_added', target: client_id, outcome: 'ok', details })
  })
  return { client_id, name, redirect_uris, created_at: iso(created_at) }
}

/** Everybody's access by it ends. @throws {AppError} not_found */
export async function removeClient({ db, audit }: Parts, caller: Caller, client_id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const gone = await trx
      .deleteFrom('oauth_client')
      .where('client_id', '=', storable(client_id))
      .returning('name')
      .executeTakeFirst()
    if (gone === undefined) throw new AppError('not_found', say`There is no such client.`)
    await endAllOf(trx, { db, audit }, (id) => id === client_id)
    await audit.record(trx, {
      actor: caller,
      action: 'oauth.client_removed',
      target: client_id,
      outcome: 'ok',
      details: gone,
    })
  })
}

/** Hosts whose clients may describe themselves, by name. */
export async function listHosts({ db }: Pick<OauthContext, 'db'>): Promise<string[]> {
  const rows = await db.read.selectFrom('oauth_host').select('host').orderBy('host').execute()
  return rows.map(({ host }) => host)
}

/** Access by clients of other hosts ends. */
export async function saveHosts({ db, audit }: Parts, caller: Caller, wanted: readonly string[]): Promise<string[]> {
  const hosts = [...new Set(wanted)].toSorted()
  await db.transaction(async (trx) => {
    await trx.deleteFrom('oauth_host').execute()
    if (hosts.length > 0)
      await trx
        .insertInto('oauth_host')
        .values(hosts.map((host) => ({ host })))
        .execute()
    await endAllOf(trx, { db, audit }, (id) => {
      const host = hostOf(id)
      return host !== null && !hosts.includes(host)
    })
    const details = { hosts }
    await audit.record(trx, { actor: caller, action: 'oauth.hosts_changed', target: 'oauth', outcome: 'ok', details })
  })
  return hosts
}

/** The host of a client that describes itself at an address, which is its id; null for one that is registered. */
export function hostOf(client_id: string): string | null {
  return /^https:\/\//i.test(client_id) ? (URL.parse(client_id)?.host ?? null) : null
}

/** A registered client as the library knows it. */
export async function clientOf(
  { db }: Pick<OauthContext, 'db'>,
  client_id: string,
): Promise<Record<string, unknown> | undefined> {
  const row = await db.read
    .selectFrom('oauth_client')
    .select(['name', 'redirect_uris'])
    .where('client_id', '=', storable(client_id))
    .executeTakeFirst()
  return row && { client_id, client_name: row.name, redirect_uris: JSON.parse(row.redirect_uris) as string[] }
}

async function endAllOf(trx: Trx, parts: Parts, ends: (client_id: string) => boolean): Promise<void> {
  const rows = await trx
    .selectFrom('access_token')
    .select(['token_id', 'client_id'])
    .where('client_id', 'is not', null)
    .execute()
  for (const { token_id, client_id } of rows)
    if (ends(client_id!)) await endAccess(trx, parts, token_id, 'unregistered')
}
