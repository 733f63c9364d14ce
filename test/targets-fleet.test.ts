import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { lastAnswer, say } from './stage/chat-stage.ts'
import { type FleetStage, openFleet, typed } from './stage/hosts/fleet-stage.ts'
import { hostKey } from './stage/hosts/host-stage.ts'
import { startRawServer } from './stage/hosts/odd-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { sshdMissing } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const skipped = sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`

describe.skipIf(sshdMissing !== null).each(databases)(`a hundred machines, on $name${skipped}`, (database) => {
  let fleet: FleetStage
  beforeAll(async () => {
    fleet = await openFleet(database)
  })
  afterAll(() => fleet[Symbol.asyncDispose]())

  test('of which ten are silent and five have another key, answer as one table, the fifteen first', async () => {
    await using silent = await startRawServer(() => undefined)
    for (let i = 0; i < 100; i++) {
      const kind = i % 10 === 3 ? 'silent' : i % 20 === 7 ? 'changed' : 'well'
      const more =
        kind === 'silent' ? { port: silent.port } : kind === 'changed' ? { host_key: hostKey().split(' ')[1]! } : {}
      await fleet.add(`${kind}-${i}`, ['fleet'], more)
    }
    let over = false
    const asked = typed(fleet.admin, '/system.disks host=#fleet').finally(() => (over = true))
    const ann = await fleet.stage.as('ann')
    // While it waits for the silent ones, others are answered, on those machines too.
    await until(() => silent.connections > 0, { what: 'a silent one is waited for' })
    expect(await lastAnswer(ann, (await say(ann, 'hello')).conversation_id)).toMatchObject({ status: 'complete' })
    expect((await ann.call(contract.chat.listConversations)).items).toHaveLength(1)
    expect((await typed(fleet.admin, '/system.host host=well-0')).call!.status).toBe('done')
    expect(over).toBe(false)
    const { call, tables, answer } = await asked
    expect(call!.status).toBe('done')
    expect(answer).toContain('Done on 85 of 100 machines.')
    const [machines, disks] = tables
    const problems = machines!.rows.slice(0, 15)
    expect(problems.filter(({ host }) => String(host).startsWith('silent'))).toHaveLength(10)
    expect(problems.filter(({ host }) => String(host).startsWith('changed'))).toHaveLength(5)
    for (const { status, problem } of problems) expect([status, problem]).toEqual(['failed', expect.any(String)])
    for (const { status, problem } of machines!.rows.slice(15)) expect([status, problem]).toEqual(['done', null])
    expect(new Set(disks!.rows.map(({ host }) => host)).size).toBe(85)
    expect(disks!.rows.length).toBeLessThanOrEqual(1000)
    const kept = await fleet.stage.app.db.read
      .selectFrom('tool_call_host')
      .select('status')
      .where('tool_call_id', '=', call!.tool_call_id)
      .execute()
    expect(kept).toHaveLength(100)
  })
})
