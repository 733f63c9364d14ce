import { describe, expect, test } from 'vitest'
import { EVERYBODY } from '../contract/rules.ts'
import { keptTables } from '../server/db/snapshot/kept-tables.ts'
import { MINUTE, openElevations } from './stage/elevation-stage.ts'
import { signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('a role for a while on $name', (database) => {
  test('a script with a token keeps the own role', async () => {
    const stage = await openElevations(database)
    const { olga } = stage
    const { token } = await stage.call('createToken', { caller: olga.caller, body: { name: 'script' } })
    await stage.elevated()
    const script = await stage.accounts.gate.authenticate({ kind: 'bearer', token })
    expect(script).toMatchObject({ kind: 'token', role_id: olga.caller.role_id })
    expect(script!.elevated).toBeUndefined()
    expect(await stage.policyOf(olga.user_id, 'token')).toMatchObject({ role_id: olga.caller.role_id })
  })

  test('no role that administers, or that nobody has, and never for longer than its role says', async () => {
    const stage = await openElevations(database)
    const { olga, root, leads, elevatable } = stage
    const { items } = await stage.call('listRoles', { caller: root })
    for (const name of ['admin', EVERYBODY]) {
      const params = { role_id: items.find((role) => role.name === name)!.role_id }
      const saving = stage.call('updateRole', { caller: root, params, body: { elevatable } })
      await expect(saving).rejects.toMatchObject({ code: 'bad_rule' })
      // Even if a row said otherwise.
      const row = stage.db.write.updateTable('role').set({ elevatable: JSON.stringify(elevatable) })
      await row.where('role_id', '=', params.role_id).where('admin', '=', 1).execute()
      await expect(stage.ask(olga.caller, params)).rejects.toMatchObject({ code: 'unknown_role' })
    }
    await expect(stage.ask(olga.caller, { role_id: leads })).rejects.toMatchObject({ code: 'unknown_role' })
    await expect(stage.ask(olga.caller, { role_id: olga.caller.role_id })).rejects.toMatchObject({ code: 'unknown_role' }) // prettier-ignore
    await expect(stage.ask(olga.caller, { minutes: 61 })).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(stage.ask(root)).rejects.toMatchObject({ code: 'forbidden' })
    const nobody = { ...elevatable, approvers: [{ role_id: 'rol_nobody', count: 1 }] }
    const params = { role_id: stage.operator }
    const wrong = stage.call('updateRole', { caller: root, params, body: { elevatable: nobody } })
    await expect(wrong).rejects.toMatchObject({ code: 'bad_rule' })
    for (const { user_id } of [stage.lea, stage.leo, stage.lou])
      await stage.update(user_id, { role_id: olga.caller.role_id })
    const deciders = stage.call('deleteRole', { caller: root, params: { role_id: leads } })
    await expect(deciders).rejects.toMatchObject({ code: 'role_in_use' })
  })

  test.each(['withdrawn', 'deleted'] as const)(
    'a role that is %s while somebody has it: their own at once',
    async (how) => {
      const stage = await openElevations(database)
      const { olga, root, operator } = stage
      const elevation_id = await stage.elevated()
      const params = { role_id: operator }
      await (how === 'withdrawn'
        ? stage.call('updateRole', { caller: root, params, body: { elevatable: null } })
        : stage.call('deleteRole', { caller: root, params }))
      expect(await stage.now(olga)).toMatchObject({ role_id: olga.caller.role_id })
      expect(await stage.policyOf(olga.user_id)).toMatchObject({ role_id: olga.caller.role_id })
      expect(await stage.audited(elevation_id)).toContain('elevation.ended')
      expect((await stage.listed(olga.caller)).roles).toEqual([])
      const votes = await stage.db.read.selectFrom('vote').select('user_id').execute()
      expect(votes).toHaveLength(how === 'deleted' ? 0 : 2)
    },
  )

  test('a role that changes while somebody has it counts as it is', async () => {
    const stage = await openElevations(database)
    const { olga, root, operator, leads } = stage
    const other = await stage.start()
    await stage.elevated()
    expect((await stage.policyOf(olga.user_id, 'session', other))!.permission('files.read').effect).toBe('allow')
    const body = {
      rules: [{ subject: 'files.read', effect: 'deny' as const }],
      elevatable: { approvers: [{ role_id: leads, count: 1 }], max_minutes: 5 },
    }
    await stage.call('updateRole', { caller: root, params: { role_id: operator }, body })
    expect((await stage.policyOf(olga.user_id, 'session', other))!.permission('files.read').effect).toBe('deny')
    expect((await stage.now(olga, other))!.role_id).toBe(operator)
  })

  test.each(['disabled', 'moved', 'ended', 'given back'] as const)('the user is %s: it is over', async (how) => {
    const stage = await openElevations(database)
    const { olga, root } = stage
    const elevation_id = await stage.elevated()
    if (how === 'disabled') await stage.update(olga.user_id, { disabled: true })
    if (how === 'moved') await stage.update(olga.user_id, { role_id: stage.leads })
    if (how === 'ended') await stage.end(root, elevation_id)
    if (how === 'given back') await stage.end((await stage.now(olga))!, elevation_id)
    if (how === 'disabled') expect(await stage.policyOf(olga.user_id)).toBeNull()
    if (how === 'disabled') await stage.update(olga.user_id, { disabled: false })
    const role_id = how === 'moved' ? stage.leads : olga.caller.role_id
    const back = how === 'disabled' || how === 'moved' ? await signIn(stage.accounts, 'olga') : olga
    expect(await stage.now(back)).toMatchObject({ role_id })
    expect(await stage.policyOf(olga.user_id)).toMatchObject({ role_id })
    const [item] = (await stage.listed(olga.caller)).items
    expect(item).toMatchObject({ status: 'ended', closed_by: how === 'given back' ? 'olga' : 'root' })
    // Again: no change.
    expect(await stage.end(root, elevation_id)).toEqual({ ...item, own: false, may_end: false })
  })

  test('the audit log names both roles of whoever acts meanwhile', async () => {
    const stage = await openElevations(database)
    const { olga } = stage
    const elevation_id = await stage.elevated()
    const { item } = await stage.call('createToken', { caller: (await stage.now(olga))!, body: { name: 'script' } })
    const [entry] = await stage.accounts.audit.about(item.token_id, 1)
    expect(entry).toMatchObject({
      actor: 'olga',
      details: { elevated: { elevation_id, role: 'operator', own_role: 'user' } },
    })
    expect(await stage.accounts.audit.verify()).toMatchObject({ ok: true })
  })

  test('goes with the user who asked, with what others said about it', async () => {
    const stage = await openElevations(database)
    await stage.elevated()
    await stage.call('deleteUser', { caller: stage.root, params: { user_id: stage.olga.user_id } })
    for (const table of ['elevation', 'vote'] as const)
      expect(await stage.db.read.selectFrom(table).selectAll().execute()).toEqual([])
  })

  test('what was closed long ago is removed', async () => {
    const stage = await openElevations(database)
    await stage.elevated()
    stage.time.now += 11 * MINUTE
    await stage.accounts.sweep()
    expect(await stage.db.read.selectFrom('elevation').select('status').execute()).toEqual([{ status: 'ended' }])
    stage.time.now += 91 * 24 * 60 * MINUTE
    await stage.accounts.sweep()
    for (const table of ['elevation', 'vote'] as const)
      expect(await stage.db.read.selectFrom(table).selectAll().execute()).toEqual([])
  })

  test('whoever is disabled or moved while a request is under way has none', async () => {
    const stage = await openElevations(database)
    const { olga } = stage
    await stage.update(olga.user_id, { role_id: stage.leads })
    await expect(stage.ask(olga.caller)).rejects.toMatchObject({ code: 'not_signed_in' })
    await stage.update(olga.user_id, { disabled: true })
    await expect(stage.ask({ ...olga.caller, role_id: stage.leads })).rejects.toMatchObject({ code: 'not_signed_in' })
    expect(await stage.db.read.selectFrom('elevation').selectAll().execute()).toEqual([])
  })
})

test('it stands in no copy of the database: a restore gives nothing back', () => {
  const references = [{ table: 'elevation', to: 'role' }]
  expect(keptTables(['elevation', 'role', 'vote'], references)).toEqual(['role', 'vote'])
})
