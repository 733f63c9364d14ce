import { describe, expect, it } from 'vitest'
import { openModel } from '../server/ai/open-model.ts'
import type { PromptMessage, PromptTool } from '../server/chat/ports/model.ts'
import { ask, textOf, user } from './stage/ai-steps.ts'

const PING: PromptTool = {
  name: 'net.ping',
  description: 'Pings a host',
  input_schema: { type: 'object', properties: {} },
}
const BY = { role_id: '', choice: null }
const without = openModel([], { list: () => [] })

describe('after a direct call', () => {
  const result = async (output: string, { failed = false, tables = 0 } = {}) => {
    const messages: PromptMessage[] = [
      user('/net.ping'),
      {
        role: 'assistant',
        text: '',
        reasoning: [],
        calls: [{ call_id: 'direct_1', name: 'net.ping', input: {}, provider: null }],
      },
      { role: 'tool', results: [{ call_id: 'direct_1', name: 'net.ping', output, failed, tables }] },
    ]
    const chunks = await ask(without.choose('/net.ping', BY), { messages, tools: [PING] })
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
    return textOf(chunks)
  }

  it.each([
    ['plain text', 'a\nb\n', '```\na\nb\n```'],
    ['fences', '```\ncode\n```', '````\n```\ncode\n```\n````'],
    ['JSON', '{"a":1}', '```json\n{\n  "a": 1\n}\n```'],
    ['nothing', ' \n', '`net.ping` finished. It returned nothing.'],
    ['a table that is only text', 'pid\tname\n1\tinit', '```\npid\tname\n1\tinit\n```'],
  ])('shows %s', async (_name, output, expected) => {
    expect(await result(output)).toBe(expected)
  })

  it.each([
    ['a table alone', 'pid\tname\n1\tinit', '`net.ping` finished; its result is the table above.'],
    ['what is said before a table', '2 hosts answer.\n\nHosts\nname\tms\na\t1', '2 hosts answer.'],
  ])('leaves %s to the grid', async (_name, output, expected) => {
    expect(await result(output, { tables: 1 })).toBe(expected)
  })

  it('shows a failure', async () => {
    expect(await result('host unknown', { failed: true })).toBe('`net.ping` did not succeed.\n\n```\nhost unknown\n```')
  })
})
