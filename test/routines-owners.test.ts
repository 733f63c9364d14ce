import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import { createRoutine, ended, type StoppedClock, stoppedClock, tick } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('owners of routines on $name', (database) => {
  let stage: Stage
  let clock: StoppedClock
  beforeAll(async () => {
    clock = stoppedClock('2027-03-01T07:00:00Z')
    stage = await openStage(database, { clock })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('what a deleted user had planned is gone', async () => {
    clock.to('2027-03-06T14:00:00Z')
    const admin = await stage.as('admin')
    const { client, user_id } = await stage.member('leaver')
    const { routine_id } = await createRoutine(client, { name: 'Left', text: 'hello', cron: '0 * * * *' })
    clock.to('2027-03-06T15:00:00Z')
    await tick(stage)
    await ended(stage, client, routine_id)
    await admin.call(contract.accounts.deleteUser, { params: { user_id } })
    const { db } = stage.app
    await until(
      async () => {
        const routines = await db.read
          .selectFrom('routine')
          .select('routine_id')
          .where('user_id', '=', user_id)
          .execute()
        const fires = await db.read
          .selectFrom('routine_fire')
          .select('fire_id')
          .where('user_id', '=', user_id)
          .execute()
        return routines.length + fires.length === 0
      },
      { what: 'its rows are gone' },
    )
    await tick(stage)
    expect(await db.read.selectFrom('routine_hook').selectAll().execute()).toEqual([])
  })

  test('a disabled owner, and one without permission, pause it', async () => {
    clock.to('2027-03-07T00:00:00Z')
    const admin = await stage.as('admin')
    const gone = await stage.member('gone')
    const denied = await stage.member('denied')
    const one = await createRoutine(gone.client, { name: 'One', text: 'hello', cron: '0 * * * *' })
    const two = await createRoutine(denied.client, { name: 'Two', text: 'hello', cron: '0 * * * *' })
    await admin.call(contract.accounts.updateUser, { params: { user_id: gone.user_id }, body: { disabled: true } })
    await stage.setRules(denied, [{ subject: 'codex.use', effect: 'deny' }])
    clock.to('2027-03-07T01:00:00Z')
    await tick(stage)
    const { items } = await admin.call(contract.routines.listAll, { query: {} })
    const states = new Map(items.map(({ routine_id, paused_by }) => [routine_id, paused_by]))
    expect(states.get(one.routine_id)).toBe('owner_disabled')
    expect(states.get(two.routine_id)).toBe('permission')
  })

  test('by hand it runs once for each key, even while it is paused; what an administrator stopped does not', async () => {
    clock.to('2027-03-08T00:00:00Z')
    const { client } = await stage.member('finn')
    const admin = await stage.as('admin')
    const { routine_id } = await createRoutine(client, { name: 'By hand', text: 'hello', cron: null })
    const params = { routine_id }
    await client.call(contract.routines.pause, { params })
    const run = (key: string) => client.call(contract.routines.run, { params, headers: { 'idempotency-key': key } })
    const [a, b] = await Promise.all([run('one'), run('one')])
    expect(a.fire_id).toBe(b.fire_id)
    expect(a.outcome).toBe('started')
    await ended(stage, client, routine_id)
    await admin.call(contract.routines.stop, { params })
    expect((await run('two')).outcome).toBe('skipped')
    await expect(client.call(contract.routines.resume, { params })).rejects.toMatchObject({ code: 'routine_stopped' })
    await admin.call(contract.routines.release, { params })
    await client.call(contract.routines.resume, { params })
    expect((await run('three')).outcome).toBe('started')
    const { items } = await admin.call(contract.accounts.audit, { query: { target: routine_id } })
    expect(items.map(({ action }) => action).toReversed()).toEqual([
      'routine.created',
      'routine.paused',
      'routine.fired',
      'routine.stopped',
      'routine.fired',
      'routine.released',
      'routine.resumed',
      'routine.fired',
    ])
  })

  test('what cannot be saved says why', async () => {
    const { client } = await stage.member('gus')
    const save = (cron: string | null, text = 'hello') => createRoutine(client, { name: `${cron} ${text}`, text, cron })
    await expect(save('* * * * *')).rejects.toMatchObject({ code: 'bad_schedule' })
    await expect(save('0 3 30 2 *')).rejects.toMatchObject({ code: 'bad_schedule' })
    await expect(save('0 3 * * *', 'check {{host:host}}')).rejects.toMatchObject({ code: 'bad_routine' })
    await save(null)
    await expect(save(null)).rejects.toMatchObject({ code: 'routine_exists' })
    const preview = await client.call(contract.routines.preview, {
      body: { cron: '30 7 * * 1-5', zone: 'Europe/Berlin' },
    })
    expect(preview).toMatchObject({ problem: null })
    expect(preview.next).toHaveLength(5)
  })
})
