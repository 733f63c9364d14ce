import type { NoticeRule } from '../../contract/notification-values.ts'
import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { CHANNELS_TOPIC } from './known-channels.ts'
import type { ChannelsContext } from './shared-channels.ts'

/** Replaces the rules that say who else is told of cards. @throws {AppError} unknown_role, unknown_channel */
export async function saveRules(
  { db, audit, known }: ChannelsContext,
  caller: Caller,
  rules: readonly Omit<NoticeRule, 'rule_id'>[],
): Promise<void> {
  await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, 'channels')
    const roles = new Set((await trx.selectFrom('role').select('role_id').execute()).map(({ role_id }) => role_id))
    const channels = await trx.selectFrom('channel').select('channel_id').where('user_id', 'is', null).execute()
    const places = new Set(channels.map(({ channel_id }) => channel_id))
    for (const { role_id, channel_id, to_role_id } of rules) {
      if ([role_id, to_role_id].some((id) => id !== null && !roles.has(id)))
        throw new AppError('unknown_role', say`A rule names a role that does not exist.`)
      if (channel_id !== null && !places.has(channel_id))
        throw new AppError('unknown_channel', say`A rule names a channel that does not exist.`)
    }
    await trx.deleteFrom('notice_rule').execute()
    if (rules.length > 0)
      await trx
        .insertInto('notice_rule')
        .values(rules.map((rule) => ({ rule_id: newId('noticeRule'), ...rule })))
        .execute()
    db.wake(trx, CHANNELS_TOPIC)
    const entry = { action: 'notification_rules.changed', target: 'notifications', outcome: 'ok' } as const
    await audit.record(trx, { actor: caller, ...entry, details: { rules } })
  })
  await known.read()
}
