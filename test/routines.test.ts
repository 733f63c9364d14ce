import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { ALLOW_COMMANDS, openStage, partsOf, lastAnswer, noticesOf, type Stage, command } from './stage/chat-stage.ts'
import {
  createRoutine,
  ended,
  firesOf,
  readRoutine,
  type StoppedClock,
  stoppedClock,
  tick,
} from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('routines on $name', (database) => {
  let stage: Stage
  let clock: StoppedClock
  beforeAll(async () => {
    clock = stoppedClock('2027-03-01T07:00:00Z')
    stage = await openStage(database, { clock })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('what is due runs once, in a conversation of its own, with the rights of its owner within its scope', async () => {
    clock.to('2027-03-01T07:00:00Z')
    const { client } = await stage.member('ann', ALLOW_COMMANDS)
    const requests = stage.play('check the disks', [
      [{ calls: [{ name: 'system.disks', arguments: {} }, command('echo no')] }],
      [{ text: 'All fine.' }],
    ])
    const routine = await createRoutine(client, {
      name: 'Morning',
      text: 'check the disks',
      cron: '30 7 * * *',
      scope: ['tool:system.disks'],
    })
    expect(routine.next[0]).toBe('2027-03-01T07:30:00.000Z')
    expect(routine.next).toHaveLength(5)
    await tick(stage)
    expect(await firesOf(client, routine.routine_id)).toEqual([])

    clock.to('2027-03-01T07:30:00Z')
    await tick(stage)
    await tick(stage)
    const fire = await ended(stage, client, routine.routine_id)
    expect(await firesOf(client, routine.routine_id)).toHaveLength(1)
    expect(fire).toMatchObject({ cause: 'time', due_at: '2027-03-01T07:30:00.000Z', outcome: 'started' })
    expect(fire.run).toMatchObject({ status: 'done' })
    // What is outside of its scope is not offered, and refused where it is asked for.
    const offered = JSON.stringify(requests[0])
    expect(offered).toContain('system__disks')
    expect(offered).not.toContain('system__run_command')
    const answer = await lastAnswer(client, fire.run!.conversation_id)
    const states = partsOf(answer, 'tool_call').map(({ tool_call }) => `${tool_call.tool} ${tool_call.status}`)
    expect(states).toEqual(['disks done', 'run_command denied'])
    const { items } = await client.call(contract.chat.listConversations, { query: {} })
    expect(items.find(({ conversation_id }) => conversation_id === fire.run!.conversation_id)?.routine).toBe(true)
    expect((await readRoutine(client, routine.routine_id)).next[0]).toBe('2027-03-02T07:30:00.000Z')
  })

  test('a run that waits for a card goes on when its owner decides, and the next time is left out meanwhile', async () => {
    clock.to('2027-03-02T03:00:00Z')
    const { client } = await stage.member('bob')
    stage.play('restart it', [[{ calls: [command('echo restarted')] }], [{ text: 'Done.' }]])
    const routine = await createRoutine(client, {
      name: 'Night',
      text: 'restart it',
      cron: '0 * * * *',
      card_life_s: 7200,
    })
    clock.to('2027-03-02T04:00:00Z')
    await tick(stage)
    const card = await until(
      async () => (await client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items.at(0),
      { what: 'a card is up' },
    )
    const life = Date.parse(card.expires_at) - Date.parse(card.requested_at)
    expect(life).toBe(7200_000)
    clock.to('2027-03-02T05:00:00Z')
    await tick(stage)
    expect((await firesOf(client, routine.routine_id)).map(({ outcome }) => outcome)).toEqual(['started', 'skipped'])
    await client.call(contract.chat.decideApproval, {
      params: { approval_id: card.approval_id },
      body: { decision: 'approve' },
    })
    const answer = await lastAnswer(client, card.conversation_id)
    expect(partsOf(answer, 'tool_call')[0]?.tool_call.status).toBe('done')
    expect(answer.status).toBe('complete')
  })

  test('one waits for the run before it where that is wanted, and no second one', async () => {
    clock.to('2027-03-03T03:00:00Z')
    const { client } = await stage.member('cem')
    stage.play('ask me', (_, i) => (i % 2 === 0 ? [{ calls: [command('true')] }] : [{ text: 'Done.' }]))
    const routine = await createRoutine(client, {
      name: 'One after the other',
      text: 'ask me',
      cron: '0 * * * *',
      overlap: 'queue_one',
    })
    const outcomes = async () => (await firesOf(client, routine.routine_id)).map(({ outcome }) => outcome)
    for (const hour of ['04', '05', '06']) {
      clock.to(`2027-03-03T${hour}:00:00Z`)
      await tick(stage)
    }
    expect(await outcomes()).toEqual(['started', 'queued', 'skipped'])
    const pending = () => client.call(contract.chat.listApprovals, { query: { status: 'pending' } })
    const first = await until(async () => (await pending()).items.at(0), { what: 'a card is up' })
    await client.call(contract.chat.decideApproval, {
      params: { approval_id: first.approval_id },
      body: { decision: 'deny' },
    })
    await until(async () => (await firesOf(client, routine.routine_id))[0]?.run?.status === 'done', {
      what: 'it is done',
    })
    await tick(stage)
    expect(await outcomes()).toEqual(['started', 'started', 'skipped'])
  })

  test('of times that were missed, the newest is made up for, and the others are one entry', async () => {
    clock.to('2027-03-04T00:00:00Z')
    const { client } = await stage.member('dan')
    const late = await createRoutine(client, { name: 'Late', text: 'hello', cron: '0 * * * *', catch_up_s: 600 })
    const never = await createRoutine(client, { name: 'Never', text: 'hello', cron: '0 * * * *', catch_up_s: 0 })
    clock.to('2027-03-04T05:05:00Z')
    await tick(stage)
    expect(await firesOf(client, late.routine_id)).toMatchObject(
      [
        { outcome: 'started', due_at: '2027-03-04T05:00:00.000Z', times: 1 },
        { outcome: 'missed', due_at: '2027-03-04T01:00:00.000Z', times: 4 },
      ].toReversed(),
    )
    expect(await firesOf(client, never.routine_id)).toMatchObject([
      { outcome: 'missed', due_at: '2027-03-04T01:00:00.000Z', times: 5 },
    ])
    expect((await readRoutine(client, never.routine_id)).next[0]).toBe('2027-03-04T06:00:00.000Z')
  })

  test('three bad ends in a row pause it, and a good one in between does not', async () => {
    clock.to('2027-03-05T00:00:00Z')
    const { client } = await stage.member('eve')
    const bad = [{ status: 400, body: { error: { message: 'no' } } }]
    stage.play('fails mostly', (_, i) => (i === 2 ? [{ text: 'Fine.' }] : bad))
    const routine = await createRoutine(client, { name: 'Fails', text: 'fails mostly', cron: '0 * * * *' })
    const failures: number[] = []
    for (let hour = 1; hour <= 6; hour++) {
      clock.to(`2027-03-05T0${hour}:00:00Z`)
      await tick(stage)
      await ended(stage, client, routine.routine_id)
      failures.push((await readRoutine(client, routine.routine_id)).failures)
    }
    expect(failures).toEqual([1, 2, 0, 1, 2, 3])
    const paused = await readRoutine(client, routine.routine_id)
    expect(paused).toMatchObject({ paused_by: 'failures', next: [] })
    const { routine: resumed } = await client.call(contract.routines.resume, {
      params: { routine_id: routine.routine_id },
    })
    expect(resumed).toMatchObject({ paused_by: null, failures: 0 })
    expect(resumed.next[0]).toBe('2027-03-05T07:00:00.000Z')
  })

  test('what cannot even begin three times in a row is paused, too', async () => {
    clock.to('2027-03-05T12:00:00Z')
    const { client } = await stage.member('ivy')
    const { routine_id } = await createRoutine(client, { name: 'Cannot', text: 'hello', cron: '0 * * * *' })
    // As if its engine were gone, or its procedure withdrawn.
    const set = { text: 'hello {{machine:host}}' }
    await stage.app.db.write.updateTable('routine').set(set).where('routine_id', '=', routine_id).execute()
    for (const hour of [13, 14, 15, 16]) {
      clock.to(`2027-03-05T${hour}:00:30Z`)
      await tick(stage)
    }
    const fires = await firesOf(client, routine_id)
    expect(fires.map(({ outcome, reason }) => `${outcome}: ${reason}`)).toEqual(
      Array.from({ length: 3 }, () => 'refused: There is no value for machine.'),
    )
    expect(await readRoutine(client, routine_id)).toMatchObject({ paused_by: 'failures', failures: 3 })
  })

  test.each([
    ['calls', { call_budget: 2 }, 'over_calls'],
    ['tokens', { token_budget: 1000 }, 'over_tokens'],
  ])('a run that goes over its %s is stopped, and says so', async (what, limits, code) => {
    clock.to('2027-03-06T00:00:00Z')
    const { client } = await stage.member(`over-${what}`, ALLOW_COMMANDS)
    const usage = { prompt_tokens: 400, completion_tokens: 400 }
    stage.play(`goes on with ${what}`, () => [{ calls: [command('true')] }, { usage }])
    const routine = await createRoutine(client, {
      name: 'Goes on',
      text: `goes on with ${what}`,
      cron: '0 * * * *',
      ...limits,
    })
    clock.to('2027-03-06T01:00:00Z')
    await tick(stage)
    const fire = await ended(stage, client, routine.routine_id)
    expect(fire.run).toMatchObject({ status: 'cancelled', error_code: code })
    expect(noticesOf(await lastAnswer(client, fire.run!.conversation_id))).toContain(code)
    expect((await readRoutine(client, routine.routine_id)).failures).toBe(1)
  })

  test('a run that takes too long is stopped in the middle of a step', async () => {
    clock.to('2027-03-06T12:00:00Z')
    const { client } = await stage.member('slow')
    const never = gate()
    stage.play('take your time', [[{ wait: never }]])
    const { routine_id } = await createRoutine(client, { name: 'Slow', text: 'take your time', cron: '0 * * * *' })
    // The shortest that can be asked for is longer than a test should take.
    await stage.app.db.write
      .updateTable('routine')
      .set({ run_limit_s: 1 })
      .where('routine_id', '=', routine_id)
      .execute()
    clock.to('2027-03-06T13:00:00Z')
    await tick(stage)
    const fire = await ended(stage, client, routine_id)
    expect(fire.run).toMatchObject({ status: 'cancelled', error_code: 'over_time' })
    never.open()
  })
})
