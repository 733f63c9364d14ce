import { describe, expect, test } from 'vitest'
import { addUser, openTestAccounts, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('the audit log on $name', (database) => {
  test('tells who did what, newest first, by pages and filters', async () => {
    const { accounts, call } = await openTestAccounts(database)
    const { caller: root } = await setUp(accounts)
    const user = await addUser(accounts, root, 'ann')
    await signIn(accounts, 'ann', 'my secret guess').catch(() => {})
    await signIn(accounts, 'my secret in the wrong field', 'x').catch(() => {})
    const rules = [{ subject: 'files.delete', effect: 'deny' as const }]
    await call('updateRole', { caller: root, params: { role_id: user.role_id }, body: { rules } })

    const all = await call('audit', { caller: root, query: { limit: 200 } })
    expect(all.items.map(({ actor, action, outcome }) => `${actor} ${action} ${outcome}`)).toEqual([
      'root role.updated ok',
      ' login.failed refused',
      ' login.failed refused',
      'root user.created ok',
      'root setup ok',
    ])
    expect(all.items[0]!.details).toEqual({ before: { name: 'user', rules: [] }, after: { name: 'user', rules } })
    expect(all.items[2]!.details).toMatchObject({ username: 'ann' })
    expect(JSON.stringify(all)).not.toContain('secret')

    const paged: unknown[] = []
    for (let cursor: string | undefined; ;) {
      const page = await call('audit', { caller: root, query: { limit: 2, cursor } })
      paged.push(...page.items)
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(paged).toEqual(all.items)
    const failed = await call('audit', { caller: root, query: { limit: 10, action: 'login.failed' } })
    expect(failed.items).toHaveLength(2)
    const wrong = call('audit', { caller: root, query: { limit: 10, cursor: 'x' } })
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('is one chain, however many write at once, and says where it was changed', async () => {
    const { accounts, call, db } = await openTestAccounts(database)
    const { caller: root } = await setUp(accounts)
    const record = (i: number) =>
      db.transaction((trx) =>
        accounts.audit.record(trx, {
          actor: root,
          action: 'test.done',
          target: `n\0${i}`,
          outcome: 'ok',
          details: { i, text: '\0\ud800' },
        }),
      )
    await Promise.all(Array.from({ length: 600 }, (_, i) => record(i)))
    const verify = () => call('verifyAudit', { caller: root })
    expect(await verify()).toEqual({ ok: true, entries: 601, first_broken_id: null, unchained: 0 })

    const ids = (await db.read.selectFrom('audit').select('audit_id').orderBy('audit_id').execute()).map(
      ({ audit_id }) => audit_id,
    )
    const at = ids[550]!
    const row = await db.read.selectFrom('audit').selectAll().where('audit_id', '=', at).executeTakeFirstOrThrow()
    for (const change of [
      { details: '{"i":0}' },
      { actor: 'somebody' },
      { at: 0 },
      { outcome: 'failed' as const },
      { actor_id: null },
    ]) {
      await db.write.updateTable('audit').set(change).where('audit_id', '=', at).execute()
      expect(await verify()).toEqual({ ok: false, entries: 551, first_broken_id: at, unchained: 0 })
      const { audit_id: _id, ...original } = row
      await db.write.updateTable('audit').set(original).where('audit_id', '=', at).execute()
    }
    expect((await verify()).ok).toBe(true)
    await db.write.deleteFrom('audit').where('audit_id', '=', at).execute()
    expect(await verify()).toMatchObject({ ok: false, first_broken_id: ids[551] })
  })

  test('what is rolled back is not recorded', async () => {
    const { accounts, call, db } = await openTestAccounts(database)
    const { caller: root } = await setUp(accounts)
    await expect(call('createRole', { caller: root, body: { name: 'admin', rules: [] } })).rejects.toMatchObject({
      code: 'role_exists',
    })
    expect(await db.read.selectFrom('audit_unchained').select('action').execute()).toEqual([{ action: 'setup' }])
  })
})
