import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, decide, lastAnswer, openStage, partsOf, type Stage } from './stage/chat-stage.ts'
import { hostTool } from './stage/modules/grants-module.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('a call that was mended, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { builtins: [hostTool] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('its card shows the arguments as they are then, and exactly those run and are in the audit log', async () => {
    const { client } = await stage.member('mia')
    const text = '{"url":"http://a.test/","depth":"3",}'
    const requests = stage.play('amber', [
      [{ calls: [{ name: 'functions.hosts__put', arguments: text }] }],
      [{ text: 'Done.' }],
    ])
    const { conversation_id } = await begin(client, 'amber')
    const [card] = await until(async () => {
      const { items } = await client.call(contract.chat.listApprovals)
      return items.length > 0 && items
    })
    const wanted = { url: 'http://a.test/', depth: 3 }
    expect(card).toMatchObject({
      arguments: wanted,
      repaired: ['name', 'json', 'values'],
      module: 'hosts',
      tool: 'put',
    })
    await decide(client, card!.approval_id, 'approve')
    await until(async () => (await lastAnswer(client, conversation_id)).status === 'complete')
    const [part] = partsOf(await lastAnswer(client, conversation_id), 'tool_call')
    expect(part!.tool_call).toMatchObject({ status: 'done', arguments: wanted, repaired: ['name', 'json', 'values'] })
    // The model reads its call as it was made, so that it does not repeat its mistake.
    const told = requests[1]!.messages.find(({ tool_calls: calls }) => calls !== undefined)?.tool_calls?.[0]?.function
    expect(told).toEqual({ name: 'hosts__put', arguments: JSON.stringify(wanted) })
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'tool.called' } })
    expect(items[0]).toMatchObject({ details: { repaired: ['name', 'json', 'values'] } })
  })
})
