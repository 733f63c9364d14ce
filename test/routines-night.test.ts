import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { command, lastAnswer, partsOf } from './stage/chat-stage.ts'
import { openNotificationsStage, type NotificationsStage } from './stage/notifications/notifications-stage.ts'
import { createRoutine, firesOf, type StoppedClock, stoppedClock, tick } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('at night, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let stage: NotificationsStage
  let clock: StoppedClock
  beforeAll(async () => {
    clock = stoppedClock('2027-03-01T01:00:00Z')
    stage = opened.use(await openNotificationsStage(database, { clock }))
    await stage.addServer()
  })
  afterAll(() => opened.disposeAsync())

  test('one mail tells of the card; its link changes nothing; deciding goes on with the run', async () => {
    const { client, address } = await stage.reachable('nora')
    stage.play('restart the queue', [[{ calls: [command('echo secret-argument')] }], [{ text: 'Restarted.' }]])
    const routine = await createRoutine(client, {
      name: 'Queue',
      text: 'restart the queue',
      cron: '0 3 * * *',
      zone: 'Europe/Berlin',
    })
    clock.to('2027-03-01T02:00:00Z')
    await Promise.all([tick(stage), tick(stage)])
    const card = await until(
      async () => (await client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items.at(0),
      { what: 'a card is up' },
    )
    const told = () => stage.mail.to(address).filter(({ text }) => text.includes('/approvals/'))
    await until(() => told().length > 0, { what: 'a mail is there' })
    expect(told()).toHaveLength(1)
    expect(JSON.stringify(told())).not.toContain('secret-argument')
    const link = new URL(/\S*\/approvals\/\S+/.exec(told()[0]!.text)![0]).pathname
    for (const reader of [client, stage.anonymous()]) await reader.fetch(link, { redirect: 'manual' })
    expect((await client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items).toHaveLength(1)
    await client.call(contract.chat.decideApproval, {
      params: { approval_id: card.approval_id },
      body: { decision: 'approve' },
    })
    const answer = await lastAnswer(client, card.conversation_id)
    expect(partsOf(answer, 'text').map(({ text }) => text)).toEqual(['Restarted.'])
    expect(await firesOf(client, routine.routine_id)).toMatchObject([{ outcome: 'started', run: { status: 'done' } }])
    const { items } = await client.call(contract.chat.listConversations, { query: {} })
    expect(items.find(({ conversation_id }) => conversation_id === card.conversation_id)?.title).toBe('Queue')
    expect(told()).toHaveLength(1)
  })
})
