import type { Database, Trx } from '../../db/database.ts'
import type { OauthRecordTable } from '../../db/rows/account-tables.ts'
import { secretHash } from '../sessions/secret-hash.ts'
import { endAccess } from './end-access.ts'
import { clientOf } from './oauth-clients.ts'
import type { OauthContext } from './oauth-context.ts'

type Payload = Record<string, unknown>
type Model = OauthRecordTable['model']

/** How the library stores what it has of one kind. */
export interface Adapter {
  upsert(id: string, payload: Payload, expiresIn: number): Promise<void>
  find(id: string): Promise<Payload | undefined>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(grant_id: string): Promise<void>
}

const STORED: readonly string[] = ['AuthorizationCode', 'AccessToken', 'RefreshToken'] satisfies Model[]
const SEALED_FOR = 'oauth record'

/**
 * @param over is thrown for a code or a token that was used before, or whose access has ended.
 * @param isAtTokens whether the request that is answered now is one for tokens.
 */
export function openStore(
  context: OauthContext,
  resource: string,
  over: () => Error,
  isAtTokens: () => boolean,
): (kind: string) => Adapter {
  return (kind) => {
    if (kind === 'Grant') return grants(context, resource, isAtTokens)
    if (kind === 'Client') return { ...NOTHING, find: (id) => clientOf(context, id) }
    return STORED.includes(kind) ? records(context, kind as Model, over) : passing()
  }
}

/** Codes and tokens. Their ids are what the client has: only hashes are stored, and the rest is sealed. */
function records({ db, vault, audit }: OauthContext, model: Model, over: () => Error): Adapter {
  const own = (id: string) => ({ model, record_id: secretHash(id) })
  return {
    async upsert(id, payload, expiresIn) {
      const row = {
        ...own(id),
        grant_id: payload['grantId'] as string,
        payload_sealed: vault.seal(SEALED_FOR, JSON.stringify(payload)),
        expires_at: Date.now() + expiresIn * 1000,
        consumed_at: null,
      }
      try {
        await db.write.insertInto('oauth_record').values(row).execute()
      } catch (error) {
        // Somebody has ended the access while this was made for it.
        throw (await hasEnded(db, row.grant_id)) ? over() : error
      }
    },
    async find(id) {
      const row = await db.read
        .selectFrom('oauth_record')
        .select(['payload_sealed', 'consumed_at'])
        .where('record_id', '=', own(id).record_id)
        .where('model', '=', model)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const payload = JSON.parse(vault.open(SEALED_FOR, row.payload_sealed)) as Payload
      return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(Number(row.consumed_at) / 1000) }
    },
    async consume(id) {
      const { record_id } = own(id)
      const known = await db.read
        .selectFrom('oauth_record')
        .select('grant_id')
        .where('record_id', '=', record_id)
        .executeTakeFirst()
      if (known === undefined) throw over()
      const used = await db.transaction(async (trx) => {
        if (!(await lockAccess(trx, known.grant_id))) return false
        const { numUpdatedRows } = await trx
          .updateTable('oauth_record')
          .set({ consumed_at: Date.now() })
          .where('record_id', '=', record_id)
          .where('consumed_at', 'is', null)
          .executeTakeFirst()
        // Another process was a moment faster: one of the two is not the client.
        if (numUpdatedRows === 0n) await endAccess(trx, { db, audit }, known.grant_id, 'reused')
        return numUpdatedRows > 0n
      })
      if (!used) throw over()
    },
    async destroy(id) {
      await db.write.deleteFrom('oauth_record').where('record_id', '=', own(id).record_id).execute()
    },
    // They go with the access, which the library ends along with them.
    revokeByGrantId: () => Promise.resolve(),
  }
}

/** What goes with an access is locked after it, as when it is deleted. False when it has ended. */
async function lockAccess(trx: Trx, token_id: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('access_token')
    .set((eb) => ({ client_id: eb.ref('client_id') }))
    .where('token_id', '=', token_id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function hasEnded(db: Database, token_id: string): Promise<boolean> {
  const query = db.write.selectFrom('access_token').select('token_id').where('token_id', '=', token_id)
  return (await query.executeTakeFirst()) === undefined
}

/** What a person has let a client do: their access token that stands for it, for as long as it and the person count. */
function grants({ db, audit }: OauthContext, resource: string, isAtTokens: () => boolean): Adapter {
  return {
    ...NOTHING,
    async find(id) {
      const row = await db.read
        .selectFrom('access_token')
        .innerJoin('user', 'user.user_id', 'access_token.user_id')
        .select(['access_token.user_id', 'client_id', 'permissions', 'access_token.created_at', 'expires_at'])
        .where('token_id', '=', id)
        .where('client_id', 'is not', null)
        .where('expires_at', '>', Date.now())
        .where('user.disabled_at', 'is', null)
        .executeTakeFirst()
      if (row === undefined) return undefined
      return {
        kind: 'Grant',
        jti: id,
        accountId: row.user_id,
        clientId: row.client_id,
        resources: { [resource]: (JSON.parse(row.permissions!) as string[]).join(' ') },
        iat: Math.floor(Number(row.created_at) / 1000),
        exp: Math.floor(Number(row.expires_at) / 1000),
      }
    },
    // Where tokens are given out, the library ends an access only for a code or a token that was used before.
    destroy: (id) => db.transaction((trx) => endAccess(trx, { db, audit }, id, isAtTokens() ? 'reused' : 'client')),
  }
}

/** The library's own session and its state between two pages: a decision is one request here, and needs neither afterwards. */
function passing(): Adapter {
  const kept = new Map<string, { readonly payload: Payload; readonly until: number }>()
  return {
    ...NOTHING,
    upsert(id, payload, expiresIn) {
      const now = Date.now()
      for (const [other, { until }] of kept) if (until < now) kept.delete(other)
      kept.set(id, { payload, until: now + expiresIn * 1000 })
      return Promise.resolve()
    },
    find: (id) => Promise.resolve(kept.get(id)?.payload),
    destroy: (id) => Promise.resolve(void kept.delete(id)),
  }
}

const NOTHING: Adapter = {
  upsert: () => Promise.reject(new Error('The library does not store this.')),
  find: () => Promise.resolve(undefined),
  consume: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  revokeByGrantId: () => Promise.resolve(),
}
