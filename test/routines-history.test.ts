import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { command, openStage, type Stage } from './stage/chat-stage.ts'
import { createRoutine, ended, firesOf, type StoppedClock, stoppedClock, tick } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { chat, routines } = contract
const DAY = 86_400_000

/** What is kept of the history of a routine for 90 days, and what longer. */
describe.each(databases)('the history of routines on $name', (database) => {
  let stage: Stage
  let clock: StoppedClock
  beforeAll(async () => {
    clock = stoppedClock('2027-03-01T07:00:00Z')
    stage = await openStage(database, { clock })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const prune = () => stage.app.unattended.prune(new AbortController().signal)

  test('what is over goes after 90 days, what is open stays until it is over', async () => {
    const { client } = await stage.member('hanna')
    const body = { name: 'Daily', text: '/system.memory', cron: '0 8 * * *' }
    const daily = await createRoutine(client, body)
    clock.by(3_600_000)
    await tick(stage)
    await ended(stage, client, daily.routine_id)
    const [first] = await firesOf(client, daily.routine_id)
    await client.call(routines.pause, { params: { routine_id: daily.routine_id } })

    stage.play('restart the queue', [[{ calls: [command('true')] }], [{ text: 'Restarted.' }]])
    const waits = await createRoutine(client, { name: 'Waits', text: 'restart the queue', cron: null })
    const { run_id } = await client.call(routines.run, { params: { routine_id: waits.routine_id } })
    const card = await until(
      async () =>
        (await client.call(chat.listApprovals, { query: { status: 'pending' } })).items.find(
          (each) => each.run_id === run_id,
        ),
      { what: 'its card is up' },
    )

    clock.by(90 * DAY)
    await prune()
    expect(await firesOf(client, daily.routine_id)).toEqual([first])
    clock.by(1)
    await prune()
    expect(await firesOf(client, daily.routine_id)).toEqual([])
    expect(await firesOf(client, waits.routine_id)).toMatchObject([{ run: { status: 'waiting_approval' } }])
    // Its time is not due again because nothing tells any more that it was fired.
    await client.call(routines.resume, { params: { routine_id: daily.routine_id } })
    await tick(stage)
    expect(await firesOf(client, daily.routine_id)).toEqual([])

    await client.call(chat.decideApproval, { params: { approval_id: card.approval_id }, body: { decision: 'approve' } })
    await ended(stage, client, waits.routine_id)
    await prune()
    expect(await firesOf(client, waits.routine_id)).toEqual([])
  })

  test('an alert that is repeated for months starts one run', async () => {
    const { client } = await stage.member('hugo')
    const { routine_id } = await createRoutine(client, { name: 'On alert', text: '/system.memory', cron: null })
    const { hook, secret } = await client.call(routines.addHook, {
      params: { routine_id },
      body: { kind: 'alertmanager' },
    })
    const alert = { status: 'firing', fingerprint: 'aa11', startsAt: '2027-03-01T06:59:00Z', labels: {} }
    const post = async () => {
      const answer = await fetch(new URL(hook.path, stage.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ groupKey: '{}', status: 'firing', commonLabels: {}, alerts: [alert] }),
      })
      expect(answer.status).toBe(202)
    }
    await post()
    const first = await ended(stage, client, routine_id)
    // Every 30 days, for a year.
    for (let month = 0; month < 12; month++) {
      clock.by(30 * DAY)
      await prune()
      await post()
      expect((await firesOf(client, routine_id)).map(({ fire_id }) => fire_id)).toEqual([first.fire_id])
    }
    // Once nobody has repeated it for long, it is forgotten, and would be news.
    clock.by(91 * DAY)
    await prune()
    expect(await firesOf(client, routine_id)).toEqual([])
    await post()
    const again = await ended(stage, client, routine_id)
    expect(again.fire_id).not.toBe(first.fire_id)
  })
})
