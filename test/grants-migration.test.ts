import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../server/db/migrate.ts'
import { MIGRATIONS } from '../server/db/migrations/index.ts'
import { openBareDatabase } from './stage/databases/bare-database.ts'
import { databases } from './stage/servers/postgres.ts'

const before = (wanted: string) =>
  MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ name }) => name === wanted),
  )
const BEFORE = before('0012-kinds-of-grants')
const TO = before('0029-grants')

describe.each(databases)('the migration of grants on $name', (database) => {
  test('tells tools from permissions, and runs of tokens from those of people', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-grants-migration-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await using opened = await openBareDatabase(await database.url(), folder)
    const { db, dialect } = opened
    await migrate(db, dialect, BEFORE)
    await sql`insert into role (role_id, name, name_folded, admin, builtin, created_at) values ('rol_1', 'one', 'one', 0, 0, 1)`.execute(
      db,
    )
    await sql`insert into "user" (user_id, username, username_folded, display_name, role_id, language, personal_prompt, created_at)
      values ('usr_1', 'u', 'u', 'u', 'rol_1', 'en', '', 1)`.execute(db)
    await sql`insert into conversation (conversation_id, user_id, title, title_source, pinned, created_at, updated_at)
      values ('cnv_1', 'usr_1', 't', 'user', 0, 1, 1)`.execute(db)
    for (const session of ['ses_1', 'tok_1']) {
      const ids = { run: `run_${session}`, apr: `apr_${session}` }
      await sql`insert into run (run_id, conversation_id, user_id, session_id, status, step, ai_mode, input_message_id, output_message_id,
        request_hash, epoch, input_tokens, output_tokens, attachments, created_at)
        values (${ids.run}, 'cnv_1', 'usr_1', ${session}, 'done', 0, 'model', 'm', 'm', 'h', 1, 0, 0, '{}', 1)`.execute(
        db,
      )
      await sql`insert into approval (approval_id, run_id, conversation_id, user_id, kind, status, module, tool, title, effect, arguments,
        summary, reason, arguments_hash, definition_hash, module_version, basis, requested_at, expires_at)
        values (${ids.apr}, ${ids.run}, 'cnv_1', 'usr_1', 'run', 'approved', 'reeve', 'codex.use', 't', 'unknown', '{}', '', '', '', '', '', '', 1, 1)`.execute(
        db,
      )
    }
    for (const [id, hash] of [
      ['gra_permission', ''],
      ['gra_tool', 'abc'],
    ])
      await sql`insert into approval_grant (grant_id, conversation_id, user_id, module, tool, definition_hash, basis, approval_id, created_at)
        values (${id}, 'cnv_1', 'usr_1', 'reeve', 'codex.use', ${hash}, 'b', 'apr_1', 7)`.execute(db)

    await migrate(db, dialect, TO)
    const grants = await db.selectFrom('approval_grant').selectAll().orderBy('grant_id').execute()
    const same = { conversation_id: 'cnv_1', user_id: 'usr_1', basis: 'b', approval_id: 'apr_1', created_at: 7 }
    expect(grants as unknown[]).toEqual([
      {
        grant_id: 'gra_permission',
        kind: 'permission',
        permission: 'codex.use',
        module: null,
        tool: null,
        definition_hash: '',
        ...same,
      },
      {
        grant_id: 'gra_tool',
        kind: 'tool',
        permission: null,
        module: 'reeve',
        tool: 'codex.use',
        definition_hash: 'abc',
        ...same,
      },
    ])
    expect(await db.selectFrom('run').select(['session_id', 'started_by']).orderBy('session_id').execute()).toEqual([
      { session_id: 'ses_1', started_by: 'session' },
      { session_id: 'tok_1', started_by: 'token' },
    ])
    expect(await db.selectFrom('approval').select('module').distinct().execute()).toEqual([{ module: '' }])
    // Neither kind can hold a row of the other.
    await expect(sql`update approval_grant set module = 'reeve' where kind = 'permission'`.execute(db)).rejects.toThrow(
      /check constraint/i,
    )
    await migrate(db, dialect)
    // What freed a whole tool is over.
    expect(await db.selectFrom('approval_grant').selectAll().execute()).toEqual([])
  })
})
