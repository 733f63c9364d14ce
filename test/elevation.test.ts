import { describe, expect, test } from 'vitest'
import { ELEVATION_LIMITS } from '../contract/elevation-limits.ts'
import { MINUTE, openElevations } from './stage/elevation-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('asking for a role for a while on $name', (database) => {
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
    for (const one of said) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'elevation_open' })
    // The rows hold it, too.
    const [row] = await stage.db.read.selectFrom('elevation').selectAll().execute()
    const again = stage.db.write
      .insertInto('elevation')
      .values({ ...row!, elevation_id: 'elv_again' })
      .execute()
    await expect(again).rejects.toSatisfy((error) => stage.db.isUniqueViolation(error))
    const elevated = await stage.end(olga.caller, row!.elevation_id)
    expect(elevated).toMatchObject({ status: 'ended', closed_by: 'olga', started_at: null })
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
})
