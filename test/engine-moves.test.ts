import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { AiProvider } from '../server/ai/engine-setting.ts'
import { say } from './stage/chat-stage.ts'
import { probe } from './stage/engines/probe.ts'
import { openScenarios, type ScenarioStage } from './stage/engines/scenario-stage.ts'
import { WIRES } from './stage/engines/wires.ts'
import { dig } from './stage/servers/provider-wire.ts'
import { databases } from './stage/servers/postgres.ts'

const MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5', google: 'gemini-2.5-flash' } as const
const LOOK = { name: 'probe__look', args: '{"place":"here"}' }
/** As long as OpenAI's may be, with what Anthropic and Mistral do not take. */
const ODD_ID = `call.${'x'.repeat(59)}`

describe.each(databases)('a conversation that moves to another engine, on $name', (database) => {
  let stage: ScenarioStage
  beforeAll(async () => {
    stage = await openScenarios(database, { builtins: [probe] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function asks(message: string, wire: AiProvider, conversation_id: string, ...replies: string[]) {
    const words = WIRES[wire]
    const call = replies.map((id) => words.calls({ ...LOOK, id }))
    const asked = stage.server.play(message, call, words.text('Done.'))
    const model = wire === 'openai-compatible' ? 'local' : MODELS[wire]
    await say(stage.client, message, { conversation_id, engine: { engine_id: stage.engines.get(wire)!, model } })
    return asked
  }

  test('its own ids go back as they were; those of another become what every provider takes', async () => {
    const { conversation_id } = await stage.client.call(contract.chat.reset)
    const own = await asks('first of all', 'openai-compatible', conversation_id, ODD_ID)
    expect(dig(own[1]!.body, 'messages', 2, 'tool_calls', 0, 'id')).toBe(ODD_ID)
    expect(dig(own[1]!.body, 'messages', 3, 'tool_call_id')).toBe(ODD_ID)

    const [anthropic] = await asks('and second', 'anthropic', conversation_id)
    const id = dig(anthropic!.body, 'messages', 1, 'content', 0, 'id')
    expect(id).toMatch(/^[a-f0-9]{9}$/)
    expect(dig(anthropic!.body, 'messages', 2, 'content', 0, 'tool_use_id')).toBe(id)

    const [openai] = await asks('then third', 'openai', conversation_id)
    const items = (openai!.body.input as { type?: string; call_id?: string }[]).filter(({ call_id }) => call_id)
    expect(items.map(({ type, call_id }) => [type, call_id])).toEqual([
      ['function_call', id],
      ['function_call_output', id],
    ])
  })

  test('calls without an id, and those that were text, have one each', async () => {
    const { conversation_id } = await stage.client.call(contract.chat.reset)
    const text = '<tool_call>{"name": "probe__look", "arguments": {"place": "here"}}</tool_call>'
    const { text: says } = WIRES['openai-compatible']
    const asked = stage.server.play('twice in a row', [says(text), says(text)], says('Done.'))
    const engine = { engine_id: stage.engines.get('openai-compatible')!, model: 'local' }
    await say(stage.client, 'twice in a row', { conversation_id, engine })
    const messages = asked[2]!.body.messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[]
    const ids = messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.id))
    expect(new Set(ids).size).toBe(2)
    expect(messages.flatMap((message) => message.tool_call_id ?? [])).toEqual(ids)
    expect(ids).toEqual([expect.stringMatching(/^[a-f0-9]{9}$/), expect.stringMatching(/^[a-f0-9]{9}$/)])
  })
})
