import { expect, test } from 'vitest'
import { lastAnswer, openStage, partsOf, say } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

test.each(databases)(
  'arguments nested three thousand deep fail as a call, and the run goes on, on $name',
  async (database) => {
    await using stage = await openStage(database)
    const { client } = await stage.member('ann')
    let deep: unknown = 1
    for (let i = 0; i < 3000; i++) deep = { a: deep }
    const list = JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`) as unknown
    const call = (value: unknown) => ({ name: 'system.host', arguments: value as Record<string, unknown> })
    stage.play('anvil', [[{ calls: [call({ a: deep }), call(list)] }], [{ text: 'Over.' }]])
    const { answer, conversation_id } = await say(client, 'anvil')
    expect(answer).toBe('Over.')
    const calls = partsOf(await lastAnswer(client, conversation_id), 'tool_call').map(({ tool_call }) => tool_call)
    expect(calls.map(({ status }) => status)).toEqual(['failed', 'failed'])
    expect(calls[0]?.result_preview).toContain('nested more than 100 levels deep')

    const direct = await say(client, `/system.host ${JSON.stringify({ a: list })}`)
    const [refused] = partsOf(await lastAnswer(client, direct.conversation_id), 'tool_call')
    expect(refused?.tool_call).toMatchObject({
      status: 'failed',
      arguments: {},
      result_preview: expect.stringContaining('nested too deep: at most 100 levels'),
    })
  },
)
