import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { CHANNEL_LIMITS, CODE_ATTEMPTS, CODES_AN_HOUR, type OwnChannel } from '../../contract/notification-values.ts'
import type { Database } from '../db/database.ts'
import type { ChannelTable } from '../db/rows/notification-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { fold } from '../kernel/text/plain-text.ts'
import { isoOrNull } from '../kernel/time.ts'
import type { Vault } from '../kernel/vault.ts'
import { deliveryOf } from './shared-channels.ts'

/** Milliseconds for which a code counts. */
const CODE_LIFE = 30 * 60_000
/** Milliseconds after which codes are counted anew. */
export const CODES_COUNTED = 3_600_000

export interface OwnChannelsContext {
  readonly db: Database
  readonly vault: Pick<Vault, 'hmac'>
}

/** The addresses of one person. Only what they have confirmed by a code is ever told of anything. */
export class OwnChannels {
  readonly #context: OwnChannelsContext

  constructor(context: OwnChannelsContext) {
    this.#context = context
  }

  async list(user_id: string): Promise<OwnChannel[]> {
    return (await this.#rows(user_id)).map(toOwn)
  }

  /** Adds an address and returns its id. @throws {AppError} channel_exists, too_many_channels */
  async add(user_id: string, address: string, language: string): Promise<string> {
    const { db } = this.#context
    const channel_id = newId('channel')
    await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, `channels:${user_id}`)
      const own = await trx.selectFrom('channel').select('name_folded').where('user_id', '=', user_id).execute()
      if (own.some(({ name_folded }) => name_folded === fold(address)))
        throw new AppError('channel_exists', say`You have added this address already.`)
      if (own.length >= CHANNEL_LIMITS.own)
        throw new AppError(
          'too_many_channels',
          say`There can be ${CHANNEL_LIMITS.own} addresses. Remove one of them first.`,
        )
      const nothing = { account: null, sender: null, target: null, secret_sealed: null, secret_at: null }
      await trx
        .insertInto('channel')
        .values({
          channel_id,
          user_id,
          kind: 'mail',
          name: address,
          name_folded: fold(address),
          address,
          ...nothing,
          internal: 0,
          language,
          enabled: 1,
          code_tries: 0,
          created_at: Date.now(),
        })
        .execute()
    })
    return channel_id
  }

  /** @throws {AppError} not_found */
  async row(user_id: string, channel_id: string): Promise<ChannelTable> {
    const row = (await this.#rows(user_id)).find((own) => own.channel_id === channel_id)
    if (row === undefined) throw new AppError('not_found', say`There is no such address.`)
    return row
  }

  /**
   * Counts a code that is about to be sent for a person, whichever address it goes to: addresses may be removed and added
   * again. @throws {AppError} too_many_codes
   */
  async countCode(user_id: string): Promise<void> {
    const { dialect, write } = this.#context.db
    const over = sql<boolean>`code_count.since <= ${dialect.now} - ${sql.lit(CODES_COUNTED)}`
    const { since, codes, now } = await write
      .insertInto('code_count')
      .values({ user_id, since: dialect.now, codes: 1 })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet({
          since: sql<number>`case when ${over} then ${dialect.now} else code_count.since end`,
          codes: sql<number>`case when ${over} then 1 else code_count.codes + 1 end`,
        }),
      )
      .returning(['since', 'codes', dialect.now.as('now')])
      .executeTakeFirstOrThrow()
    if (codes <= CODES_AN_HOUR) return
    const minutes = Math.max(1, Math.ceil((since + CODES_COUNTED - now) / 60_000))
    throw new AppError(
      'too_many_codes',
      say`${CODES_AN_HOUR} codes have been sent for you within an hour. Try again in ${minutes} min.`,
      { retryAfter: minutes * 60 },
    )
  }

  /** A new code for an address, which replaces the one before. */
  async newCode({ channel_id }: Pick<ChannelTable, 'channel_id'>): Promise<string> {
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    await this.#context.db.write
      .updateTable('channel')
      .set({ code_hash: this.#hash(channel_id, code), code_until: Date.now() + CODE_LIFE, code_tries: 0 })
      .where('channel_id', '=', channel_id)
      .execute()
    return code
  }

  /** Confirms an address. @throws {AppError} not_found, wrong_code */
  async verify(user_id: string, channel_id: string, code: string): Promise<void> {
    const { db } = this.#context
    const row = await this.row(user_id, channel_id)
    if (row.verified_at !== null) return
    // Counted before it is compared: parallel guesses are as many guesses.
    const counted = await db.write
      .updateTable('channel')
      .set((is) => ({ code_tries: is('code_tries', '+', 1) }))
      .where('channel_id', '=', channel_id)
      .where('code_tries', '<', CODE_ATTEMPTS)
      .where('code_until', '>', Date.now())
      .returning('code_hash')
      .executeTakeFirst()
    if (counted === undefined)
      throw new AppError('wrong_code', say`This code does not count any more. Have a new one sent.`)
    if (!sameText(counted.code_hash ?? '', this.#hash(channel_id, code.replaceAll(/\s/g, ''))))
      throw new AppError('wrong_code', say`This is not the code that was sent.`)
    await db.write
      .updateTable('channel')
      .set({ verified_at: Date.now(), code_hash: null, code_until: null })
      .where('channel_id', '=', channel_id)
      .execute()
  }

  /** @throws {AppError} not_found */
  async remove(user_id: string, channel_id: string): Promise<void> {
    await this.row(user_id, channel_id)
    await this.#context.db.write.deleteFrom('channel').where('channel_id', '=', channel_id).execute()
  }

  #hash(channel_id: string, code: string): string {
    return this.#context.vault.hmac('channel code', `${channel_id} ${code}`)
  }

  #rows(user_id: string): Promise<ChannelTable[]> {
    const { read } = this.#context.db
    return read.selectFrom('channel').selectAll().where('user_id', '=', user_id).orderBy('channel_id').execute()
  }
}

function sameText(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(one!, other!)
}

function toOwn(row: ChannelTable): OwnChannel {
  const { channel_id, address, verified_at } = row
  return { channel_id, address, verified_at: isoOrNull(verified_at), ...deliveryOf(row) }
}
