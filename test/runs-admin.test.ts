import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { ALLOW_COMMANDS, begin, command, lastAnswer, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('live runs and switches on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    stage = await openStage(database)
    admin = await stage.as('admin')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const board = async () => (await admin.call(contract.runsAdmin.liveRuns)).items
  const flip = (subject: string, off: boolean, reason = '') =>
    admin.call(contract.runsAdmin.saveSwitch, { body: { subject, off, reason } })

  test('the history tells who, what, when, how much and how it ended; titles and the way only to their owner', async () => {
    const { client, user_id } = await stage.member('una', [])
    stage.play('history', [[{ calls: [{ name: 'files.list', arguments: {} }] }], [{ text: 'Done.' }]])
    const started = Date.now()
    await say(client, 'history of a secret matter')
    await say(client, '/files.list')
    const history = async (of: TestClient, query: object = {}) =>
      (await of.call(contract.runsAdmin.pastRuns, { query: { user_id, ...query } })).items
    const all = await history(admin)
    expect(all).toMatchObject([
      { ai_mode: 'direct', model: null, tools: ['files.list'], conversation_id: null },
      { username: 'una', status: 'done', model: 'scripted', steps: 2, tools: ['files.list'], title: null },
    ])
    const [second, first] = all.map(({ run_id }) => ({ run_id }))
    expect(Date.parse(all[1]!.started_at)).toBeLessThanOrEqual(Date.parse(all[1]!.ended_at!))
    expect(JSON.stringify(all)).not.toMatch(/secret|cnv_/)
    expect(await history(admin, { status: 'failed' })).toEqual([])
    expect(await history(admin, { model: 'scripted' })).toMatchObject([first])
    expect(await history(admin, { ai_mode: 'direct' })).toMatchObject([second])
    expect(await history(admin, { ai_mode: 'model', status: 'done' })).toMatchObject([first])
    const iso = (time: number) => new Date(time).toISOString()
    expect(await history(admin, { from: iso(started - 1000), to: iso(Date.now() + 1000) })).toHaveLength(2)
    expect(await history(admin, { to: iso(started - 1000) })).toEqual([])
    expect(await history(admin, { from: iso(Date.now() + 60_000) })).toEqual([])
    const own = await say(admin, '/files.list')
    const { user } = await admin.call(contract.accounts.session)
    const [mine] = await history(admin, { user_id: user.id })
    expect(mine).toMatchObject({ conversation_id: own.conversation_id, title: expect.any(String) })
    await expect(history(client)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(history(admin, { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('the history goes page by page, over an index whatever the filters', async () => {
    const { client, user_id } = await stage.member('pat', [])
    for (let i = 0; i < 5; i++) await say(client, '/files.list')
    const { items } = await admin.call(contract.runsAdmin.pastRuns, { query: { user_id } })
    const ids = items.map(({ run_id }) => run_id)
    expect(ids).toHaveLength(5)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await admin.call(contract.runsAdmin.pastRuns, { query: { user_id, limit: 2, cursor } })
      seen.push(...page.items.map(({ run_id }) => run_id))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(ids)
    if (database.name !== 'sqlite') return
    for (const filter of ["user_id = 'u' and", "status = 'done' and", "model = 'm' and", 'model is null and', '']) {
      const { rows } = await sql<{ detail: string }>`explain query plan select * from run where ${sql.raw(filter)}
        ended_at is not null and run_id < 'run_zzzzzzzzzz' order by run_id desc limit 50`.execute(stage.app.db.write)
      const plan = rows.map(({ detail }) => detail).join()
      expect([filter, plan]).toEqual([filter, expect.stringMatching(/^SEARCH run USING INDEX/)])
      expect(plan).not.toMatch(/TEMP B-TREE/)
    }
  })

  test('the board shows who runs what, and nothing of what it is about', async () => {
    const { client } = await stage.member('ann', ALLOW_COMMANDS)
    stage.play('confidential', [[{ text: 'A secret answer. ' }, { calls: [command('exec sleep 60 # topsecret')] }]])
    const { run_id, conversation_id } = await begin(client, 'confidential matter')
    const run = await until(
      // Runs and their calls are read one after the other.
      async () =>
        (await board()).find((one) => one.status === 'acting' && one.calls.some(({ status }) => status === 'running')),
      { what: 'the call runs' },
    )
    expect(run).toMatchObject({
      run_id,
      username: 'ann',
      display_name: expect.any(String),
      status: 'acting',
      ai_mode: 'model',
      model: 'scripted',
      stopping: false,
      calls: [{ module: 'system', tool: 'run_command', status: 'running' }],
    })
    expect(JSON.stringify(run)).not.toMatch(/confidential|secret|cnv_/)
    const { cancelled_count } = await admin.call(contract.runsAdmin.stopRun, { params: { run_id } })
    expect(cancelled_count).toBe(1)
    expect(await board()).toEqual([])
    expect((await lastAnswer(client, conversation_id)).status).toBe('cancelled')
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'run.stopped' } })
    expect(items[0]).toMatchObject({ actor: 'admin', target: run_id })
    await expect(admin.call(contract.runsAdmin.stopRun, { params: { run_id } })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('all runs of everybody are stopped at once, those that wait included', async () => {
    const hanging = gate()
    stage.play('hanging', [[{ wait: hanging }]])
    stage.play('asking', [[{ calls: [command('true')] }]])
    const [ben, eve] = [await stage.member('ben'), await stage.member('eve')]
    await begin(ben.client, 'hanging')
    await begin(eve.client, 'asking')
    await hanging.reached
    await until(async () => (await board()).some(({ status }) => status === 'waiting_approval'))
    expect(await admin.call(contract.runsAdmin.stopAllRuns)).toMatchObject({ cancelled_count: 2 })
    expect(await board()).toEqual([])
    hanging.open()
  })

  test('a tool that is off is refused with who and why, is not offered, and comes back', async () => {
    const { client } = await stage.member('fay', ALLOW_COMMANDS)
    const { items } = await flip('tool:system.run_command', true, 'The disk is being moved.')
    expect(items).toMatchObject([
      { subject: 'tool:system.run_command', by: 'admin', reason: 'The disk is being moved.' },
    ])
    const requests = stage.play('stubborn', [[{ calls: [command('true')] }], [{ text: 'Very well.' }]])
    const { conversation_id } = await begin(client, 'stubborn')
    await until(async () => (await lastAnswer(client, conversation_id)).status === 'complete')
    const [part] = partsOf(await lastAnswer(client, conversation_id), 'tool_call')
    expect(part?.tool_call).toMatchObject({
      status: 'denied',
      result_preview: 'admin has switched off this tool for everyone: The disk is being moved.',
    })
    expect(requests[0]?.tools.map(({ name }) => name)).not.toContain('system__run_command')
    const { items: tools } = await client.call(contract.chat.listTools)
    expect(tools.map(({ tool }) => tool)).not.toContain('run_command')
    expect(await say(client, '/system.run_command command=true')).toMatchObject({
      answer: expect.stringContaining('The disk is being moved.'),
    })
    expect((await flip('tool:system.run_command', false)).items).toEqual([])
    stage.play('willing', [[{ calls: [command('true')] }], [{ text: 'Done.' }]])
    expect(await say(client, 'willing')).toMatchObject({ answer: 'Done.' })
    const { items: entries } = await admin.call(contract.accounts.audit, { query: { limit: 20 } })
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['tool.switched_off', 'tool.switched_on']),
    )
  })

  test('switching a module off stops its calls within two seconds; the run goes on without them', async () => {
    const { client } = await stage.member('gil', ALLOW_COMMANDS)
    stage.play('long work', [[{ calls: [command('exec sleep 60')] }], [{ text: 'It was stopped.' }]])
    const { conversation_id } = await begin(client, 'long work')
    await until(async () => (await board()).some(({ calls }) => calls.some(({ status }) => status === 'running')))
    const asked = performance.now()
    await flip('tool:system.*', true, 'Trouble.')
    await until(async () => (await lastAnswer(client, conversation_id)).status === 'complete')
    expect(performance.now() - asked).toBeLessThan(2000)
    const [part] = partsOf(await lastAnswer(client, conversation_id), 'tool_call')
    expect(part?.tool_call.status).toMatch(/^(cancelled|unknown)$/)
    expect(part?.tool_call.result_preview).toMatch(/^admin has switched off this module for everyone: Trouble\./)
    await flip('tool:system.*', false)
  })

  test('what was approved before a tool was switched off does not run', async () => {
    const { client } = await stage.member('hal')
    stage.play('approved late', [[{ calls: [command('true')] }], [{ text: 'Not run.' }]])
    const { conversation_id } = await begin(client, 'approved late')
    const card = await until(
      async () => (await client.call(contract.chat.conversation, { params: { conversation_id } })).approvals[0],
    )
    await flip('tool:system.run_command', true)
    const params = { approval_id: card.approval_id }
    await client.call(contract.chat.decideApproval, { params, body: { decision: 'approve' } })
    const [part] = partsOf(await lastAnswer(client, conversation_id), 'tool_call')
    expect(part?.tool_call.status).toBe('denied')
    await flip('tool:system.run_command', false)
  })

  test('only tools can be switched', async () => {
    for (const subject of ['files.read', 'tool:', 'tool:*', 'tool:a', 'tool:A.b', 'tool:a.b c'])
      await expect(flip(subject, true)).rejects.toMatchObject({ code: 'invalid_request' })
  })
})
