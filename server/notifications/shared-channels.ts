import { CHANNEL_LIMITS, type ChannelKind, type SharedChannel } from '../../contract/notification-values.ts'
import type { Caller } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Database, Trx } from '../db/database.ts'
import type { ChannelTable } from '../db/rows/notification-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { fold } from '../kernel/text/plain-text.ts'
import { isoOrNull } from '../kernel/time.ts'
import type { Vault } from '../kernel/vault.ts'
import { checkedChannel } from './channel-address.ts'
import { openSecret, sealSecret } from './channel-secret.ts'
import { CHANNELS_TOPIC, type KnownChannels } from './known-channels.ts'

export interface ChannelsContext {
  readonly db: Database
  readonly vault: Vault
  readonly audit: AuditLog
  readonly known: KnownChannels
}

/** What can be changed of a shared channel. */
export interface ChannelChange {
  readonly name: string
  readonly address: string
  readonly account: string | null
  readonly sender: string | null
  readonly target: string | null
  /** undefined: the one that is stored. */
  readonly secret?: string | null | undefined
  readonly internal: boolean
  readonly language: SharedChannel['language']
  readonly enabled: boolean
}

/** Mail servers and webhooks, which administrators name. */
export class SharedChannels {
  readonly #context: ChannelsContext

  constructor(context: ChannelsContext) {
    this.#context = context
  }

  async list(): Promise<SharedChannel[]> {
    return (await this.#rows()).map(toShared)
  }

  /** @throws {AppError} channel_exists, too_many_channels, bad_channel */
  async add(caller: Caller, wanted: ChannelChange & { readonly kind: ChannelKind }): Promise<SharedChannel> {
    const channel_id = newId('channel')
    const channel = checkedChannel({ ...wanted, secret: wanted.secret ?? null })
    return this.#save(caller, 'channel.added', channel_id, async (trx) => {
      const others = await this.#rows(trx)
      if (others.length >= CHANNEL_LIMITS.shared)
        throw new AppError('too_many_channels', say`There can be ${CHANNEL_LIMITS.shared} channels. Remove one first.`)
      this.#refuseTwice(others, channel)
      const secret_at = channel.secret === null ? null : Date.now()
      const row = { ...this.#columns(channel_id, channel, secret_at), kind: channel.kind, created_at: Date.now() }
      await trx
        .insertInto('channel')
        .values({ channel_id, user_id: null, verified_at: Date.now(), code_tries: 0, ...row })
        .execute()
    })
  }

  /** @throws {AppError} not_found, channel_exists, bad_channel, channel_secret_elsewhere */
  async update(caller: Caller, channel_id: string, change: Partial<ChannelChange>): Promise<SharedChannel> {
    return this.#save(caller, 'channel.changed', channel_id, async (trx) => {
      const rows = await this.#rows(trx)
      const before = rows.find((row) => row.channel_id === channel_id)
      if (before === undefined) throw noChannel()
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const stored = openSecret(this.#context.vault, before)
      const channel = checkedChannel({
        ...toShared(before),
        kind: before.kind as ChannelKind,
        secret: stored,
        ...given,
      })
      const elsewhere = channel.address !== before.address || channel.account !== before.account
      if (elsewhere && channel.secret !== null && channel.secret === stored && change.secret === undefined)
        throw new AppError(
          'channel_secret_elsewhere',
          say`The stored secret was given for another address. Enter the one for this address.`,
        )
      this.#refuseTwice(
        rows.filter((row) => row !== before),
        channel,
      )
      const kept = channel.secret === stored ? before.secret_at : Date.now()
      const row = this.#columns(channel_id, channel, channel.secret === null ? null : kept)
      await trx.updateTable('channel').set(row).where('channel_id', '=', channel_id).execute()
    })
  }

  /** @throws {AppError} not_found */
  async remove(caller: Caller, channel_id: string): Promise<void> {
    const { db, audit, known } = this.#context
    await db.transaction(async (trx) => {
      const row = await trx
        .deleteFrom('channel')
        .where('channel_id', '=', channel_id)
        .where('user_id', 'is', null)
        .returning(['name', 'kind'])
        .executeTakeFirst()
      if (row === undefined) throw noChannel()
      db.wake(trx, CHANNELS_TOPIC)
      const entry = { action: 'channel.removed', target: channel_id, outcome: 'ok', details: row } as const
      await audit.record(trx, { actor: caller, ...entry })
    })
    await known.read()
  }

  /** @throws {AppError} not_found */
  async row(channel_id: string): Promise<ChannelTable> {
    const found = (await this.#rows()).find((row) => row.channel_id === channel_id)
    if (found === undefined) throw noChannel()
    return found
  }

  async #save(
    caller: Caller,
    action: string,
    channel_id: string,
    work: (trx: Trx) => Promise<void>,
  ): Promise<SharedChannel> {
    const { db, audit, known } = this.#context
    const channel = await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, 'channels')
      await work(trx)
      const saved = toShared((await this.#rows(trx)).find((row) => row.channel_id === channel_id)!)
      db.wake(trx, CHANNELS_TOPIC)
      const { name, kind, address, target, internal, enabled } = saved
      const details = { name, kind, address, target, internal, enabled }
      await audit.record(trx, { actor: caller, action, target: channel_id, outcome: 'ok', details })
      return saved
    })
    await known.read()
    return channel
  }

  #refuseTwice(others: readonly ChannelTable[], { name, kind }: { name: string; kind: ChannelKind }): void {
    if (others.some((other) => other.name_folded === fold(name)))
      throw new AppError('channel_exists', say`There is already a channel called “${name}”. Choose another name.`)
    if (kind === 'smtp' && others.some((other) => other.kind === 'smtp'))
      throw new AppError('channel_exists', say`There is a mail server already. Change it, or remove it first.`)
  }

  #columns(
    channel_id: string,
    channel: ReturnType<typeof checkedChannel<ChannelChange & Checked>>,
    secret_at: number | null,
  ) {
    return {
      name: channel.name,
      name_folded: fold(channel.name),
      address: channel.address,
      account: channel.account,
      sender: channel.sender,
      target: channel.target,
      secret_sealed: sealSecret(this.#context.vault, channel_id, channel.secret),
      secret_at,
      internal: channel.internal ? 1 : 0,
      language: channel.language,
      enabled: channel.enabled ? 1 : 0,
    }
  }

  #rows(reader: Pick<Trx, 'selectFrom'> = this.#context.db.read): Promise<ChannelTable[]> {
    return reader.selectFrom('channel').selectAll().where('user_id', 'is', null).orderBy('name_folded').execute()
  }
}

type Checked = { readonly kind: ChannelKind; readonly secret: string | null }

function noChannel(): AppError {
  return new AppError('not_found', say`There is no such channel.`)
}

function toShared(row: ChannelTable): SharedChannel {
  return {
    channel_id: row.channel_id,
    name: row.name,
    kind: row.kind as ChannelKind,
    address: row.address,
    account: row.account,
    sender: row.sender,
    target: row.target,
    secret: { configured: row.secret_sealed !== null, updated_at: isoOrNull(row.secret_at) },
    internal: row.internal === 1,
    language: row.language as SharedChannel['language'],
    enabled: row.enabled === 1,
    ...deliveryOf(row),
  }
}

/** How the newest messages to a channel fared. */
export function deliveryOf({ sent_at, problem, problem_at }: ChannelTable) {
  return { sent_at: isoOrNull(sent_at), problem, problem_at: isoOrNull(problem_at) }
}
