import type { Notice } from '../../contract/notices.ts'
import { NOTICE_KINDS, type NoticeTopic } from '../../contract/notification-values.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import { insertRows } from '../db/statement.ts'
import { newId } from '../kernel/id.ts'
import { cut, storable } from '../kernel/text/plain-text.ts'
import type { KnownChannels } from './known-channels.ts'
import { OUTBOX_TOPIC, outboxRow } from './outbox.ts'
import type { EndNotice, NoticeToTell } from '../chat/ports/notices.ts'

/** A page of this service: no other host, no spaces. */
const PATH = /^\/(?![/\\])[!-~]{0,400}$/
const NAME = 200
const DETAIL = 500

/** Tells these people's pages; `event` is left out for what was only read. */
export type TellPages = (
  trx: Trx,
  user_ids: readonly string[],
  data: { readonly notice_id?: string; readonly event?: NoticeTopic },
) => Promise<void>

interface NoticesOptions {
  readonly db: Database
  readonly known: KnownChannels
  readonly tellPages: TellPages
}

/**
 * Stores a notice, who finds it in their list, and the messages about it. What was told under the same key before is told
 * to nobody twice. Without channels, no message is stored.
 */
export async function tellNotice(
  { db, known, tellPages }: NoticesOptions,
  trx: Trx,
  notice: NoticeToTell,
): Promise<void> {
  const { event, to } = notice
  const notice_id = await store(db, trx, notice)
  const places: { channel_id: string | null; role_id: string | null }[] = []
  let readers: string[] = []
  if ('channel_id' in to) {
    const channel = await trx
      .selectFrom('channel')
      .select('channel_id')
      .where('channel_id', '=', to.channel_id)
      .where('user_id', 'is', null)
      .executeTakeFirst()
    if (channel !== undefined) places.push({ channel_id: channel.channel_id, role_id: null })
  } else {
    readers = await addReaders(trx, notice_id, to)
    if (known.mail && 'role_id' in to && readers.length > 0) places.push({ channel_id: null, role_id: to.role_id })
    if (known.mail && 'user_ids' in to)
      for (const channel_id of await addressesOf(trx, readers, event)) places.push({ channel_id, role_id: null })
  }
  if (places.length > 0) {
    const { now } = db.dialect
    await trx
      .insertInto('outbox')
      .values(places.map((place) => outboxRow({ event, ref_id: notice_id, ...place }, now, now)))
      .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
      .execute()
    db.wake(trx, OUTBOX_TOPIC)
  }
  if (readers.length > 0) await tellPages(trx, readers, { notice_id, event })
}

/** Fills chat's port. */
export function endNotice({ tellPages }: Pick<NoticesOptions, 'tellPages'>): EndNotice {
  return async (trx, { event, key }) => {
    const told = trx.selectFrom('notice').select('notice_id').where('dedupe_key', '=', keyOf(event, key))
    const rows = await trx
      .deleteFrom('notice_reader')
      .where('notice_id', 'in', told)
      .where('read_at', 'is', null)
      .returning('user_id')
      .execute()
    await tellPages(trx, rows.map(({ user_id }) => user_id).toSorted(), {})
  }
}

function keyOf(event: NoticeTopic, key: string): string {
  return `${event} ${key}`
}

/** The id of the notice: of the one that has this key already, if there is one. */
async function store(db: Database, trx: Trx, { event, to, ref_id, path, ...notice }: NoticeToTell): Promise<string> {
  if (!PATH.test(path)) throw new Error(`A notice leads to a page of this service, not to ${path}.`)
  const dedupe_key = keyOf(event, notice.key)
  const only = 'user_ids' in to && to.user_ids.length === 1 ? to.user_ids[0]! : null
  const stored = await trx
    .insertInto('notice')
    .values({
      notice_id: newId('notice'),
      event,
      ref_id,
      path,
      name: oneLine(notice.name, NAME),
      detail: JSON.stringify(shortened(notice.detail ?? {})),
      by_user: notice.by ?? only,
      dedupe_key,
      created_at: db.dialect.now,
    })
    .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
    .returning('notice_id')
    .executeTakeFirst()
  if (stored !== undefined) return stored.notice_id
  const before = trx.selectFrom('notice').select('notice_id').where('dedupe_key', '=', dedupe_key)
  return (await before.executeTakeFirstOrThrow()).notice_id
}

/** Who is told now, and was not before, in the order in which their events are locked. */
async function addReaders(
  trx: Trx,
  notice_id: string,
  to: Exclude<NoticeToTell['to'], { readonly channel_id: string }>,
): Promise<string[]> {
  const ids = 'user_ids' in to ? [...new Set(to.user_ids)] : null
  if (ids?.length === 0) return []
  const people = await trx
    .selectFrom('user')
    .select('user_id')
    .where('deleted_at', 'is', null)
    .where((is) =>
      'role_id' in to
        ? is.and([
            is('role_id', '=', to.role_id),
            is('disabled_at', 'is', null),
            ...(to.except === undefined ? [] : [is('user_id', '!=', to.except)]),
          ])
        : is('user_id', 'in', ids!),
    )
    .where('user_id', 'not in', trx.selectFrom('notice_reader').select('user_id').where('notice_id', '=', notice_id))
    .orderBy('user_id')
    .execute()
  await insertRows(
    trx,
    'notice_reader',
    people.map(({ user_id }) => ({ user_id, notice_id, read_at: null })),
  )
  return people.map(({ user_id }) => user_id)
}

/** Confirmed addresses of people who want to be told of such things. */
async function addressesOf(reader: Reader, user_ids: readonly string[], event: NoticeTopic): Promise<string[]> {
  if (user_ids.length === 0) return []
  const rows = await reader
    .selectFrom('channel')
    .leftJoin('notice_setting as setting', 'setting.user_id', 'channel.user_id')
    .select(['channel_id', `setting.${NOTICE_KINDS[event]} as wanted`])
    .where('channel.user_id', 'in', user_ids)
    .where('verified_at', 'is not', null)
    .execute()
  return rows.filter(({ wanted }) => wanted !== 0).map(({ channel_id }) => channel_id)
}

/** What is known of these notices, by id. */
export async function noticesById(reader: Reader, notice_ids: readonly string[]): Promise<Map<string, NoticeFacts>> {
  if (notice_ids.length === 0) return new Map()
  const rows = await reader
    .selectFrom('notice')
    .leftJoin('user', 'user.user_id', 'notice.by_user')
    .select(['notice_id', 'event', 'ref_id', 'path', 'name', 'detail', 'by_user', 'notice.created_at'])
    .select(['dedupe_key', 'username', 'display_name'])
    .where('notice_id', 'in', notice_ids)
    .execute()
  return new Map(
    rows.map(({ username, display_name, detail, dedupe_key, ...notice }) => [
      notice.notice_id,
      {
        ...notice,
        detail: JSON.parse(detail) as Notice['detail'],
        by: display_name || username,
        key: dedupe_key.slice(notice.event.length + 1),
      },
    ]),
  )
}

/** Which of these notices a person has read. */
export async function readBy(reader: Reader, user_id: string, notice_ids: readonly string[]): Promise<string[]> {
  const rows = await reader
    .selectFrom('notice_reader')
    .select('notice_id')
    .where('user_id', '=', user_id)
    .where('notice_id', 'in', notice_ids)
    .where('read_at', 'is not', null)
    .execute()
  return rows.map(({ notice_id }) => notice_id)
}

export interface NoticeFacts extends Pick<
  Notice,
  'notice_id' | 'event' | 'ref_id' | 'path' | 'name' | 'detail' | 'by'
> {
  readonly by_user: string | null
  readonly key: string
  /** Epoch milliseconds. */
  readonly created_at: number
}

function shortened(detail: Readonly<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [name, typeof value === 'number' ? value : oneLine(value, DETAIL)]),
  )
}

/** One line that both databases store. */
function oneLine(text: string, most: number): string {
  return cut(storable(text.replaceAll(/\s+/g, ' ').trim()), most)
}
