import type { SessionChange } from '../../../contract/route.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { addressNetwork } from '../../kernel/network/address-network.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { newSecret } from '../../kernel/id.ts'
import { secretHash } from '../sessions/secret-hash.ts'

/** A place unused for this long is unknown again. */
const KEPT_MS = 180 * 24 * 3_600_000
/** Places of each kind kept per user; the least recently used one is dropped. */
const MOST = 20
const TOKEN = /^[\w-]{43}$/

/** Where a sign-in attempt comes from. */
export interface Place {
  readonly address: string
  /** The token an earlier sign-in left in the browser. */
  readonly device: string | null
}
/** How well a place is known: the very same browser, or only its address. */
export interface KnownPlace {
  readonly kind: 'device' | 'address'
  readonly place_hash: string
}

/**
 * Whether the account was signed in to from there before. This grants nothing: it only decides under which count an
 * attempt fails, so that a stranger's failures do not lock the owner out.
 */
export async function knownPlace(db: Reader, username_folded: string, place: Place): Promise<KnownPlace | null> {
  const hashes = hashesOf(place)
  const rows = await db
    .selectFrom('known_place')
    .innerJoin('user', 'user.user_id', 'known_place.user_id')
    .select(['known_place.kind', 'known_place.place_hash'])
    .where('user.username_folded', '=', username_folded)
    .where('known_place.place_hash', 'in', Object.values(hashes))
    .execute()
  return rows.find(({ kind }) => kind === 'device') ?? rows[0] ?? null
}

/**
 * Records a sign-in from there. The device gets a name of its own; an existing name is kept while an account knows it.
 */
export async function rememberPlace(
  trx: Trx,
  user_id: string,
  place: Place,
  now: number,
): Promise<NonNullable<SessionChange['device']>> {
  const token = place.device !== null && (await isKnown(trx, place.device)) ? place.device : newSecret()
  for (const [kind, place_hash] of Object.entries(hashesOf({ ...place, device: token }))) {
    const row = { user_id, kind: kind as KnownPlace['kind'], place_hash, last_used_at: now }
    await trx
      .insertInto('known_place')
      .values(row)
      .onConflict((conflict) => conflict.columns(['user_id', 'place_hash']).doUpdateSet({ last_used_at: now }))
      .execute()
    await trx
      .deleteFrom('known_place')
      .where('user_id', '=', user_id)
      .where('kind', '=', row.kind)
      .where('place_hash', 'not in', (query) =>
        query
          .selectFrom('known_place as newest')
          .select('newest.place_hash')
          .where('newest.user_id', '=', user_id)
          .where('newest.kind', '=', row.kind)
          .orderBy('newest.last_used_at', 'desc')
          .orderBy('newest.place_hash')
          .limit(MOST),
      )
      .execute()
  }
  return { token, expires_at: now + KEPT_MS }
}

/** Forgets places not used for half a year. */
export async function sweepPlaces(trx: Trx, now: number): Promise<void> {
  await trx
    .deleteFrom('known_place')
    .where('last_used_at', '<=', now - KEPT_MS)
    .execute()
}

/** Only a name issued here is kept: one planted in the browser would be known to whoever planted it. */
async function isKnown(db: Reader, device: string): Promise<boolean> {
  if (!TOKEN.test(device)) return false
  const row = await db
    .selectFrom('known_place')
    .select('place_hash')
    .where('place_hash', '=', hashesOf({ address: '', device }).device!)
    .executeTakeFirst()
  return row !== undefined
}

function hashesOf({ address, device }: Place): { address: string; device?: string } {
  return {
    address: hashOf(`address ${addressNetwork(address)}`),
    ...(device !== null && TOKEN.test(device) && { device: secretHash(`device ${device}`) }),
  }
}
