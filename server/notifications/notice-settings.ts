import type { NoticeSettings } from '../../contract/notification-values.ts'
import type { Database } from '../db/database.ts'
import type { NoticeSettingTable } from '../db/rows/notification-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { isZone } from './quiet-hours.ts'

const WISHES = ['approval', 'vote', 'routines', 'reports', 'reviews', 'watches', 'connections'] as const
type Wish = (typeof WISHES)[number]

/** Of everybody who has chosen nothing: told of everything, of cards after two minutes, at any time. */
export const DEFAULT_SETTINGS: NoticeSettings = {
  ...mapWishes(() => true),
  wait_s: 120,
  quiet: null,
  zone: 'UTC',
}

export async function readSettings(db: Pick<Database, 'read'>, user_id: string): Promise<NoticeSettings> {
  const row = await db.read.selectFrom('notice_setting').selectAll().where('user_id', '=', user_id).executeTakeFirst()
  return row === undefined ? DEFAULT_SETTINGS : toSettings(row)
}

/** Changes what is given. @throws {AppError} unknown_zone */
export async function saveSettings(db: Database, user_id: string, change: Partial<NoticeSettings>): Promise<void> {
  const { quiet, ...settings } = { ...(await readSettings(db, user_id)), ...change }
  if (!isZone(settings.zone))
    throw new AppError('unknown_zone', say`“${settings.zone}” is not the name of a time zone.`)
  const row = {
    ...mapWishes((wish) => (settings[wish] ? 1 : 0)),
    wait_s: settings.wait_s,
    quiet_from: quiet?.from ?? null,
    quiet_to: quiet?.to ?? null,
    zone: settings.zone,
  }
  await db.write
    .insertInto('notice_setting')
    .values({ user_id, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute()
}

function toSettings(row: Omit<NoticeSettingTable, 'user_id'>): NoticeSettings {
  const { quiet_from: from, quiet_to: to } = row
  return {
    ...mapWishes((wish) => row[wish] === 1),
    wait_s: row.wait_s,
    quiet: from === null || to === null ? null : { from, to },
    zone: row.zone,
  }
}

function mapWishes<T>(map: (wish: Wish) => T): Record<Wish, T> {
  return Object.fromEntries(WISHES.map((wish) => [wish, map(wish)])) as Record<Wish, T>
}
