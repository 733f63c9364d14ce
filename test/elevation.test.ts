import { describe, expect, test } from 'vitest'
import { ELEVATION_LIMITS } from '../contract/elevations.ts'
import type { Caller } from '../contract/route.ts'
import { EVERYBODY } from '../contract/rules.ts'
import { addUser, openTestAccounts, setUp, signIn } from './stage/open-accounts.ts'
import { databases, type TestDatabase } from './stage/servers/postgres.ts'

const MINUTE = 60_000

/** An administrator, `olga` who asks, and `lea`, `leo` and `lou` of the role `leads`, who decide who may be `operator`. */
async function openElevations(database: TestDatabase, count = 2) {
  const stage = await openTestAccounts(database)
  const root = (await setUp(stage.accounts)).caller
  const roleOf = async (name: string) =>
    (await stage.call('createRole', { caller: root, body: { name, rules: [] } })).role.role_id
  const leads = await roleOf('leads')
  const operator = await roleOf('operator')
  const elevatable = { approvers: [{ role_id: leads, count }], max_minutes: 60 }
  await stage.call('updateRole', { caller: root, params: { role_id: operator }, body: { elevatable } })
  const person = async (name: string, role?: string) => {
    const { user_id } = await addUser(stage.accounts, root, name, role)
    return { user_id, ...(await signIn(stage.accounts, name)) }
  }
  const [lea, leo, lou] = [await person('lea', 'leads'), await person('leo', 'leads'), await person('lou', 'leads')]
  const olga = await person('olga')
  const ask = async (by: Caller, body = {}) =>
    (
      await stage.call('requestElevation', {
        caller: by,
        body: { role_id: operator, minutes: 10, reason: 'The disk is full.', ...body },
      })
    ).elevation
  const vote = async (by: Caller, elevation_id: string, decision: 'approve' | 'deny' = 'approve') =>
    (await stage.call('voteOnElevation', { caller: by, params: { elevation_id }, body: { decision } })).elevation
  const end = async (by: Caller, elevation_id: string) =>
    (await stage.call('endElevation', { caller: by, params: { elevation_id } })).elevation
  const now = (person: { cookie: string }, accounts = stage.accounts) =>
    accounts.gate.authenticate({ kind: 'cookie', token: person.cookie })
  const policyOf = (user_id: string, by: Caller['kind'] = 'session', accounts = stage.accounts) =>
    accounts.policy.forUser(user_id, null, by)
  const listed = async (by: Caller) => stage.call('listElevations', { caller: by })
  const audited = async (target: string) =>
    (await stage.accounts.audit.about(target, 200)).map(({ action }) => action).toSorted()
  const update = (user_id: string, body: { disabled?: boolean; role_id?: string }) =>
    stage.call('updateUser', { caller: root, params: { user_id }, body })
  const elevated = async () => {
    const { elevation_id } = await ask(olga.caller)
    await vote(lea.caller, elevation_id)
    expect(await vote(leo.caller, elevation_id)).toMatchObject({ status: 'active' })
    return elevation_id
  }
  return { ...stage, root, leads, operator, lea, leo, lou, olga, roleOf, person, ask, vote, end, now, policyOf, listed, audited, update, elevated, elevatable } // prettier-ignore
}

describe.each(databases)('a role for a while on $name', (database) => {
  test('begins with the last vote, replaces the role in every process, and ends by itself', async () => {
    const stage = await openElevations(database)
    const { olga, lea, leo, operator, time } = stage
    const other = await stage.start()
    const own = olga.caller.role_id
    expect((await stage.listed(olga.caller)).roles).toMatchObject([
      { role_id: operator, role: 'operator', max_minutes: 60, needs: [{ role: 'leads', count: 2 }] },
    ])
    const asked = await stage.ask(olga.caller)
    expect(asked).toMatchObject({ status: 'requested', own: true, decisions: [], may_end: true, started_at: null })
    expect((await stage.now(olga))!.role_id).toBe(own)
    expect((await stage.listed(lea.caller)).items).toMatchObject([
      { own: false, decisions: ['approve', 'deny'], may_end: false, asked_by: { username: 'olga', role: 'user' } },
    ])
    expect(await stage.vote(lea.caller, asked.elevation_id)).toMatchObject({
      status: 'requested',
      needs: [{ role: 'leads', count: 2, given: 1 }],
      my_vote: 'approve',
      decisions: ['deny'],
    })
    expect((await stage.now(olga))!.role_id).toBe(own)
    const active = await stage.vote(leo.caller, asked.elevation_id)
    expect(active).toMatchObject({ status: 'active', ends_at: new Date(time.now + 10 * MINUTE).toISOString() })
    for (const accounts of [stage.accounts, other]) {
      expect(await stage.now(olga, accounts)).toMatchObject({
        role_id: operator,
        elevated: { role: 'operator', own_role: 'user', own_role_id: own, ends_at: time.now + 10 * MINUTE },
      })
      expect(await stage.policyOf(olga.user_id, 'session', accounts)).toMatchObject({ role_id: operator })
      expect(await accounts.gate.stillValid([olga.caller])).toEqual([false])
    }
    const elevated = (await stage.now(olga))!
    expect((await stage.call('session', { caller: elevated })).user).toMatchObject({
      role: 'operator',
      elevation: { role: 'operator', own_role: 'user', ends_at: active.ends_at },
    })
    time.now += 10 * MINUTE - 1
    expect((await stage.now(olga, other))!.role_id).toBe(operator)
    time.now += 1
    for (const accounts of [stage.accounts, other]) {
      expect(await stage.now(olga, accounts)).toMatchObject({ role_id: own })
      expect((await stage.now(olga, accounts))!.elevated).toBeUndefined()
      expect(await stage.policyOf(olga.user_id, 'session', accounts)).toMatchObject({ role_id: own })
      expect(await accounts.gate.stillValid([elevated])).toEqual([false])
    }
    expect((await stage.listed(olga.caller)).items).toMatchObject([
      { status: 'ended', may_end: false, closed_at: active.ends_at, closed_by: null },
    ])
    expect(await stage.audited(asked.elevation_id)).not.toContain('elevation.ended')
    await stage.accounts.sweep()
    await other.sweep()
    expect(await stage.audited(asked.elevation_id)).toEqual([
      'elevation.ended',
      'elevation.requested',
      'elevation.started',
      'elevation.voted',
      'elevation.voted',
    ])
    expect(await stage.ask(olga.caller)).toMatchObject({ status: 'requested' })
  })

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

  test('whoever asks never votes, nor does anybody who is not asked', async () => {
    const stage = await openElevations(database, 1)
    const { olga, lea, root } = stage
    const { elevation_id } = await stage.ask(olga.caller)
    await expect(stage.vote(olga.caller, elevation_id)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(stage.vote(root, elevation_id)).rejects.toMatchObject({ code: 'not_found' })
    const ida = await stage.person('ida')
    await expect(stage.vote(ida.caller, elevation_id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(stage.end(ida.caller, elevation_id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(stage.vote(lea.caller, 'elv_00000000000000000000000000')).rejects.toMatchObject({ code: 'not_found' })
    expect((await stage.listed(ida.caller)).items).toEqual([])
    // One of those who decide asks: the others decide.
    const asked = await stage.ask(lea.caller)
    await expect(stage.vote(lea.caller, asked.elevation_id)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('a hundred votes at once: it begins once', async () => {
    const stage = await openElevations(database, 3)
    const { olga, lea, leo, lou } = stage
    const { elevation_id } = await stage.ask(olga.caller)
    const people = Array.from({ length: 100 }, (_, i) => [lea, leo, lou, olga][i % 4]!)
    const said = await Promise.allSettled(people.map(({ caller }) => stage.vote(caller, elevation_id)))
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(75)
    expect(await stage.audited(elevation_id)).toEqual([
      'elevation.requested',
      'elevation.started',
      ...Array.from({ length: 3 }, () => 'elevation.voted'),
    ])
    expect((await stage.now(olga))!.role_id).toBe(stage.operator)
  })

  test('the last vote against a denial: one outcome', async () => {
    const stage = await openElevations(database)
    const { olga, lea, leo, lou } = stage
    for (let round = 0; round < 3; round++) {
      const { elevation_id } = await stage.ask(olga.caller)
      await stage.vote(lea.caller, elevation_id)
      const [approval, denial] = await Promise.allSettled([
        stage.vote(leo.caller, elevation_id),
        stage.vote(lou.caller, elevation_id, 'deny'),
      ])
      expect([approval.status, denial.status].toSorted()).toEqual(['fulfilled', 'rejected'])
      expect((await stage.now(olga))!.role_id === stage.operator).toBe(approval.status === 'fulfilled')
      await stage.end(olga.caller, elevation_id)
    }
  })

  test.each(['disabled', 'moved'] as const)('a voter who is %s before it begins does not count', async (how) => {
    const stage = await openElevations(database)
    const { olga, lea, leo, lou } = stage
    const { elevation_id } = await stage.ask(olga.caller)
    await stage.vote(lea.caller, elevation_id)
    await stage.update(lea.user_id, how === 'disabled' ? { disabled: true } : { role_id: olga.caller.role_id })
    expect(await stage.vote(leo.caller, elevation_id)).toMatchObject({ status: 'requested', needs: [{ given: 1 }] })
    expect(await stage.vote(lou.caller, elevation_id)).toMatchObject({ status: 'active' })
    // What is given is given: a voter who goes later takes nothing back.
    await stage.update(lou.user_id, { disabled: true })
    expect((await stage.now(olga))!.role_id).toBe(stage.operator)
  })

  test('of many requests at once there is one', async () => {
    const stage = await openElevations(database)
    const { olga } = stage
    const said = await Promise.allSettled(Array.from({ length: 10 }, () => stage.ask(olga.caller)))
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of said)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'elevation_open' })
    // The rows hold it, too.
    const [row] = await stage.db.read.selectFrom('elevation').selectAll().execute()
    const again = stage.db.write.insertInto('elevation').values({ ...row!, elevation_id: 'elv_again' }).execute()
    await expect(again).rejects.toSatisfy((error) => stage.db.isUniqueViolation(error))
    const elevated = await stage.end(olga.caller, row!.elevation_id)
    expect(elevated).toMatchObject({ status: 'ended', closed_by: 'olga', started_at: null })
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

  test.each(['withdrawn', 'deleted'] as const)('a role that is %s while somebody has it: their own at once', async (how) => {
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
  })

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

  test('who decides changes: open requests end', async () => {
    const stage = await openElevations(database)
    const { olga, root, operator, leads, lea } = stage
    const { elevation_id } = await stage.ask(olga.caller)
    const elevatable = { approvers: [{ role_id: leads, count: 1 }], max_minutes: 60 }
    await stage.call('updateRole', { caller: root, params: { role_id: operator }, body: { elevatable } })
    await expect(stage.vote(lea.caller, elevation_id)).rejects.toMatchObject({ code: 'approval_closed' })
    const again = await stage.ask(olga.caller)
    expect(await stage.vote(lea.caller, again.elevation_id)).toMatchObject({ status: 'active' })
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

  test('a request that nobody decides lapses, and twenty a day are enough', async () => {
    const stage = await openElevations(database)
    const { olga, lea, time } = stage
    const { elevation_id } = await stage.ask(olga.caller)
    time.now += ELEVATION_LIMITS.request_hours * 60 * MINUTE
    expect((await stage.listed(olga.caller)).items).toMatchObject([{ status: 'expired' }])
    await expect(stage.vote(lea.caller, elevation_id)).rejects.toMatchObject({ code: 'approval_expired' })
    for (let i = 0; i < ELEVATION_LIMITS.requests_a_day; i++)
      await stage.end(olga.caller, (await stage.ask(olga.caller)).elevation_id)
    await expect(stage.ask(olga.caller)).rejects.toMatchObject({ code: 'too_many_attempts' })
    time.now += 24 * 60 * MINUTE
    expect(await stage.ask(olga.caller)).toMatchObject({ status: 'requested' })
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

  test('who has another role for a while decides by their own, and only by that', async () => {
    const stage = await openElevations(database, 1)
    const { root, leads, lea, leo, olga } = stage
    const elevatable = { approvers: [{ role_id: leads, count: 1 }], max_minutes: 60 }
    await stage.call('updateRole', { caller: root, params: { role_id: leads }, body: { elevatable } })
    const asked = await stage.ask(olga.caller, { role_id: leads })
    await stage.vote(lea.caller, asked.elevation_id)
    const asLead = (await stage.now(olga))!
    expect(asLead.role_id).toBe(leads)
    const other = await stage.ask(leo.caller)
    await expect(stage.vote(asLead, other.elevation_id)).rejects.toMatchObject({ code: 'not_found' })
    await stage.vote(lea.caller, other.elevation_id)
    const ida = await stage.person('ida')
    const third = await stage.ask(ida.caller)
    expect(await stage.vote((await stage.now(leo))!, third.elevation_id)).toMatchObject({ status: 'active' })
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
})
