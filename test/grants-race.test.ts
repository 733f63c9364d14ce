import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { command, decide, openStage, say, type Stage } from './stage/chat-stage.ts'
import { startTaker } from './stage/databases/grant-taker.ts'
import { databases } from './stage/servers/postgres.ts'

const ROUNDS = 20

describe.each(databases)('the last use of a grant, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('two processes race for it: one call is covered, the other asks', async () => {
    const { client } = await stage.member('racer')
    const { db } = stage.app
    await using one = startTaker(stage.databaseUrl, stage.dataFolder)
    await using two = startTaker(stage.databaseUrl, stage.dataFolder)
    await Promise.all([one.ready(), two.ready()])
    for (let round = 0; round < ROUNDS; round++) {
      stage.play(`race ${round} `, [[{ calls: [command('true')] }], [{ text: 'Done.' }]])
      const { approvals } = await say(client, `race ${round} `)
      const { approval_id } = approvals[0]!
      await decide(client, approval_id, 'approve', { grant: { offer_id: 'same', uses: 1, minutes: 5 } })
      const grant = await db.read
        .selectFrom('approval_grant')
        .selectAll()
        .where('approval_id', '=', approval_id)
        .executeTakeFirstOrThrow()
      const { conversation_id, user_id, module, tool: name, definition_hash, basis } = grant
      const call = (who: string) => ({
        tool_call_id: `tcl_${who}_${round}`,
        run: { started_by: 'session' as const, conversation_id, user_id },
        tool: { module, name, effect: 'destructive' as const },
        bound: { definition_hash, basis, arguments_hash: grant.arguments_hash!, bound_hash: '' },
      })
      const took = await Promise.all([one.take(call('one')), two.take(call('two'))])
      expect(took.filter(Boolean)).toHaveLength(1)
      const uses = await db.read.selectFrom('grant_use').selectAll().where('grant_id', '=', grant.grant_id).execute()
      expect(uses).toHaveLength(1)
    }
    expect((await client.call(contract.chat.listGrants)).items).toEqual([])
  })
})
