import type { HeadPlace, SignedHead } from '../../contract/receipts.ts'
import type { Database } from '../db/database.ts'
import { dayOf, iso, isoOrNull } from '../kernel/time.ts'
import { type AuditHead, HEAD_TYPE } from './documents.ts'
import { signDocument } from './envelope.ts'
import { type Installation, signedBy } from './installation.ts'
import type { SigningKeys } from './signing-key.ts'

const PAGE = 500

export interface HeadOptions {
  readonly db: Database
  readonly keys: SigningKeys
  readonly installation: Installation
  /** Chains the entries that were recorded before. */
  readonly settle: () => Promise<boolean>
  /** Places to which a head is sent once it is signed. */
  readonly places: readonly HeadPlace[]
  /** Up to which entry the log was removed because of its age. */
  readonly removedTo: () => Promise<number>
  readonly clock?: () => number
}

/**
 * Signs the newest entry of the audit log, once a day (UTC) however many processes try. Whoever keeps what was signed
 * sees later whether the log was changed before that entry, or cut off. @returns `signed` by this call, `known` before, or
 * `empty`: there is nothing to sign yet
 */
export async function signHead(options: HeadOptions): Promise<'signed' | 'known' | 'empty'> {
  const { db, keys, installation, settle, places, clock = Date.now } = options
  const now = clock()
  const day = dayOf(now)
  if (await db.read.selectFrom('audit_head').select('day').where('day', '=', day).executeTakeFirst()) return 'known'
  // A log without an entry has no head; the key would make the first one.
  await settle()
  if (!(await newest(db))) return 'empty'
  const signer = await keys.signer()
  const removed_to = await options.removedTo()
  await settle()
  return db.transaction(async (trx) => {
    // Also keeps the chain as it is meanwhile.
    await db.dialect.serialize(trx, 'audit')
    const last = await newest(db, trx)
    const known = await trx.selectFrom('audit_head').select('day').where('day', '=', day).executeTakeFirst()
    if (known) return 'known'
    if (!last) return 'empty'
    const { audit_id, hash, at } = last
    const head: AuditHead = {
      schema: 'reeve.audit-head/1',
      signed_by: signedBy(installation, signer, now),
      day,
      audit_id,
      hash,
      at: iso(at),
      removed_to,
    }
    const envelope = signDocument(HEAD_TYPE, head, signer)
    const { key_id } = signer
    await trx.insertInto('audit_head').values({ day, audit_id, hash, key_id, signed_at: now, envelope }).execute()
    if (places.length > 0) {
      const unsent = { day, attempts: 0, next_at: now, sent_at: null, problem: null }
      await trx
        .insertInto('audit_head_delivery')
        .values(places.map((place) => ({ ...unsent, place })))
        .execute()
    }
    return 'signed'
  })
}

/** The newest signed head; null while there is none. */
export async function lastHead(db: Database): Promise<SignedHead | null> {
  const head = await db.read
    .selectFrom('audit_head')
    .select(['day', 'audit_id', 'hash', 'key_id', 'signed_at'])
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!head) return null
  const sent = await db.read
    .selectFrom('audit_head_delivery')
    .select(['place', 'sent_at', 'attempts', 'problem'])
    .where('day', '=', head.day)
    .orderBy('place')
    .execute()
  return {
    ...head,
    signed_at: iso(head.signed_at),
    sent: sent.map((one) => ({ ...one, sent_at: isoOrNull(one.sent_at) })),
  }
}

/** Every signed head, oldest first, one a line. */
export async function* allHeads(db: Database): AsyncIterable<Uint8Array> {
  for (let after = ''; ;) {
    const rows = await db.read
      .selectFrom('audit_head')
      .select(['day', 'envelope'])
      .where('day', '>', after)
      .orderBy('day')
      .limit(PAGE)
      .execute()
    if (rows.length > 0) yield Buffer.from(rows.map(({ envelope }) => `${envelope}\n`).join(''))
    if (rows.length < PAGE) return
    after = rows.at(-1)!.day
  }
}

/** The place that does not have the newest head although it was tried; null when all is well. */
export async function failingPlace(db: Database): Promise<HeadPlace | null> {
  const row = await db.read
    .selectFrom('audit_head_delivery')
    .select('place')
    .where('day', '=', (is) => is.selectFrom('audit_head').select((has) => has.fn.max('day').as('day')))
    .where('sent_at', 'is', null)
    .where('attempts', '>', 0)
    .where('problem', 'is not', null)
    .orderBy('place')
    .limit(1)
    .executeTakeFirst()
  return row?.place ?? null
}

function newest(db: Database, reader: Pick<Database['read'], 'selectFrom'> = db.read) {
  return reader
    .selectFrom('audit')
    .select(['audit_id', 'hash', 'at'])
    .orderBy('audit_id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
