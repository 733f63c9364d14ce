import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadRole } from '../server/accounts/policy/load-role.ts'
import { migrate } from '../server/db/migrate.ts'
import { MIGRATIONS } from '../server/db/migrations/index.ts'
import { openBareDatabase } from './stage/databases/bare-database.ts'
import { databases } from './stage/servers/postgres.ts'

const BEFORE = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name === '0026-rules'),
)

describe.each(databases)('the migration of rules on $name', (database) => {
  test('those that are there mean what they meant, and the name of the role that binds everybody becomes free', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-rules-migration-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await using opened = await openBareDatabase(await database.url(), folder)
    const { db, dialect } = opened
    await migrate(db, dialect, BEFORE)
    for (const [id, name, folded] of [
      ['rol_1', 'one', 'one'],
      ['rol_2', 'Everybody', 'everybody'],
      ['rol_3', 'everybody 2', 'everybody 2'],
    ])
      await sql`insert into role (role_id, name, name_folded, admin, builtin, created_at) values (${id}, ${name}, ${folded}, 0, 0, 1)`.execute(
        db,
      )
    const rules = [
      ['rol_1', 'files.read', 'deny'],
      ['rol_1', 'tool:a.*', 'allow'],
      ['rol_1', 'tool:a.*', 'ask'],
      ['rol_2', 'codex.use', 'ask'],
    ]
    for (const [role_id, subject, effect] of rules)
      await sql`insert into role_rule (role_id, subject, effect) values (${role_id}, ${subject}, ${effect})`.execute(db)

    await migrate(db, dialect)
    const stored = await db
      .selectFrom('role_rule')
      .selectAll()
      .orderBy('role_id')
      .orderBy('subject')
      .orderBy('effect')
      .execute()
    expect(stored.map(({ role_id, subject, effect }) => [role_id, subject, effect])).toEqual(rules)
    expect(stored.map(({ spec, spec_hash }) => spec + spec_hash)).toEqual(['{}', '{}', '{}', '{}'])
    expect(new Set(stored.map(({ rule_id }) => rule_id)).size).toBe(4)
    expect((await loadRole(db, 'rol_1'))?.rules).toEqual(
      expect.arrayContaining(rules.slice(0, 3).map(([, subject, effect]) => ({ subject, effect }))),
    )
    expect((await loadRole(db, 'rol_1'))?.common).toEqual([])
    const names = await db.selectFrom('role').select('name').orderBy('role_id').execute()
    expect(names.map(({ name }) => name)).toEqual(['one', 'Everybody 3', 'everybody 2'])
    await sql`delete from role where role_id = 'rol_2'`.execute(db)
    expect(await db.selectFrom('role_rule').selectAll().where('role_id', '=', 'rol_2').execute()).toEqual([])
    const again = { ...stored[0]!, rule_id: 'rul_again' }
    await expect(db.insertInto('role_rule').values(again).execute()).rejects.toThrow(/unique/i)
  })
})
