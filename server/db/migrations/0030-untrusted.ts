import { type Kysely, sql } from 'kysely'

/** The built-in tools whose results hold nothing that others wrote. */
const CLEAN = [
  'system.host',
  'system.cpu',
  'system.memory',
  'system.disks',
  'system.run_command',
  'system.signal_process',
  'files.write',
  'files.undo_write',
]

/**
 * A conversation says since when it holds what others may have written, and from where; so do cards and calls that were
 * judged in it. Of the conversations that are there already, those are marked that would be now.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('conversation').addColumn('untrusted_at', 'bigint').execute()
  await db.schema.alterTable('conversation').addColumn('untrusted_by', 'text').execute()
  await db.schema
    .alterTable('tool_call')
    .addColumn('untrusted', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('approval').addColumn('untrusted', 'text').execute()
  const mark = (by: string) => sql`update conversation set untrusted_at = updated_at, untrusted_by = ${by}
    where untrusted_at is null and `
  await sql`${mark('{"kind":"import","name":""}')} imported_at is not null`.execute(db)
  await sql`${mark('{"kind":"tool","name":""}')} conversation_id in (
    select run.conversation_id from tool_call join run on run.run_id = tool_call.run_id
    where tool_call.started_at is not null
      and tool_call.module || '.' || tool_call.tool not in (${sql.join(CLEAN)}))`.execute(db)
  await sql`${mark('{"kind":"file","name":""}')} conversation_id in (
    select message.conversation_id from message_part join message on message.message_id = message_part.message_id
    where message_part.type = 'file' and message.role = 'user')`.execute(db)
}
