import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { lastAnswer, openStage, partsOf, say, textOf, type Member, type Stage } from './stage/chat-stage.ts'
import { wideModule } from './stage/modules/wide-module.ts'
import { databases } from './stage/servers/postgres.ts'
import type { ScriptedRequest } from './stage/servers/scripted-model.ts'

const RULES = [
  { subject: 'tool:wide.*', effect: 'allow' as const },
  { subject: 'tool:wide.look_250', effect: 'deny' as const },
  { subject: 'tool:system.*', effect: 'deny' as const },
]
const CONTEXT = 8192

const namesOf = ({ tools }: ScriptedRequest) => tools.map(({ name }) => name)
const look = (words: string) => ({ calls: [{ name: 'find_tools', arguments: { words } }] })
const use = (name: string, input: Record<string, unknown> = {}) => ({ calls: [{ name, arguments: input }] })
const resultsOf = ({ messages }: ScriptedRequest) =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content))

describe.each(databases)('three hundred tools and a model that reads 8,192 tokens, on $name', (database) => {
  let stage: Stage
  let member: Member
  beforeAll(async () => {
    stage = await openStage(database, { context: CONTEXT, builtins: [wideModule(300)] })
    member = await stage.member('ann', RULES)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('it gets some of them and a tool that finds the others; what it finds it can call from then on', async () => {
    const requests = stage.play('harbour', [
      [look('when was the lighthouse lit')],
      [use('wide.look_33', { depth: 2 })],
      [{ text: 'At dusk.' }],
      [{ text: 'As I said.' }],
    ])
    const { conversation_id, tool_calls_executed } = await say(member.client, 'What of the harbour?')
    const [first, second, third] = requests
    expect(namesOf(first!)[0]).toBe('find_tools')
    expect(namesOf(first!).length).toBeGreaterThan(5)
    expect(namesOf(first!)).not.toContain('wide__look_33')
    // What was offered stays in its place, and what was found comes last: providers keep what begins alike.
    expect(namesOf(second!)).toEqual([...namesOf(first!), ...namesOf(second!).slice(namesOf(first!).length)])
    expect(namesOf(second!)).toContain('wide__look_33')
    expect(resultsOf(second!)[0]).toContain(
      '- wide.look_33: Says when the lighthouse of the harbour was lit. Arguments: depth',
    )
    expect(resultsOf(third!)[1]).toContain('At 33, 2 deep.')
    // Looking for tools runs nothing.
    expect(tool_calls_executed.map(({ tool }) => tool)).toEqual(['look_33'])

    const seen = async () => {
      const { run_id } = await lastAnswer(member.client, conversation_id)
      const { parts } = await member.client.call(contract.chat.prompt, { params: { run_id: run_id! } })
      return parts.flatMap((part) =>
        part.kind === 'tools' ? part.tools.map(({ name }) => name.replace('.', '__')) : [],
      )
    }
    // Of the prompt, what a search has changed is shown as well.
    expect(await seen()).toEqual(namesOf(third!))
    await say(member.client, 'And the harbour again?', { conversation_id })
    expect(await seen()).toEqual(namesOf(requests[3]!))
    expect(namesOf(requests[3]!)).toEqual(namesOf(third!))
    expect(stage.refused).toBe(0)
    const calls = partsOf(await lastAnswer(member.client, conversation_id), 'tool_call')
    expect(calls).toEqual([])
  })

  test('what exists and is allowed is called without having been found, and loaded by that', async () => {
    const requests = stage.play('quay', [[use('wide__look_222')], [{ text: 'Done.' }]])
    const { tool_calls_executed } = await say(member.client, 'Go to the quay')
    expect(tool_calls_executed).toMatchObject([{ module: 'wide', tool: 'look_222', status: 'done' }])
    expect(namesOf(requests[0]!)).not.toContain('wide__look_222')
    expect(namesOf(requests[1]!)).toContain('wide__look_222')
  })

  test('what is denied is neither found nor run, and a search without words is told so', async () => {
    const requests = stage.play('buoy', [
      [look('look_250')],
      [use('wide.look_250'), { calls: [{ name: 'find_tools', arguments: {}, id: 'two' }] }],
      [{ text: 'No.' }],
    ])
    const { tool_calls_executed } = await say(member.client, 'Ask the buoy')
    expect(resultsOf(requests[1]!)[0]).not.toContain('look_250:')
    expect(tool_calls_executed).toEqual([])
    expect(resultsOf(requests[2]!).at(-1)).toContain('words')
  })

  test.each([{ query: 'look_222' }, { words: ['look', '222'] }])(
    'a search is understood however a small model writes it: %j',
    async (input) => {
      const requests = stage.play('jetty', [
        [{ calls: [{ name: 'find_tools', arguments: input }] }],
        [{ text: 'Found.' }],
      ])
      await say(member.client, 'Go to the jetty')
      expect(resultsOf(requests[1]!)[0]).toContain('look_222:')
    },
  )

  test('a search for too much is refused like any other call', async () => {
    const requests = stage.play('whale', [[look('x '.repeat(600_000))], [{ text: 'No.' }]])
    await say(member.client, 'Ask the whale')
    expect(resultsOf(requests[1]!)[0]).toMatch(/^The arguments are too large/)
    // Nor does it come back with each request from then on.
    expect(stage.refused).toBe(0)
  })

  test('whatever is found, each request fits: what was used longest ago leaves first', async () => {
    const count = 24
    const requests = stage.play('anchor', (_, index) =>
      index < count ? [use(`wide.look_${100 + index}`)] : [{ text: 'Through.' }],
    )
    await say(member.client, 'Weigh anchor')
    const last = namesOf(requests[count]!)
    expect(last).toContain(`wide__look_${100 + count - 1}`)
    expect(last).not.toContain('wide__look_100')
    expect(last).toContain(namesOf(requests[0]!)[1])
    expect(stage.refused).toBe(0)
  })

  test('a conversation may do with some modules only, and its choice stays', async () => {
    const requests = stage.play('oar', [
      [{ text: 'Nothing at hand.' }],
      [use('wide.look_1')],
      [{ text: 'Not allowed.' }],
      [use('wide.look_1')],
      [{ text: 'There.' }],
    ])
    const { client } = member
    const { conversation_id } = await say(client, 'Take the oar', { modules: ['files'] })
    expect(namesOf(requests[0]!).filter((name) => name.startsWith('wide'))).toEqual([])
    const refused = await say(client, 'Take the oar', { conversation_id })
    expect(refused.tool_calls_executed).toEqual([])
    expect(resultsOf(requests[2]!).at(-1)).toBe('The module wide is not chosen for this conversation.')
    const params = { conversation_id }
    expect(await client.call(contract.chat.conversation, { params, query: {} })).toMatchObject({ modules: ['files'] })
    const changed = await client.call(contract.chat.updateConversation, { params, body: { modules: null } })
    expect(changed).toMatchObject({ modules: null })
    const { tool_calls_executed } = await say(client, 'Take the oar', { conversation_id })
    expect(tool_calls_executed).toMatchObject([{ tool: 'look_1', status: 'done' }])
  })
})

describe('what ships', () => {
  test('takes fewer than 10,000 tokens of whoever is told all of it', async () => {
    await using stage = await openStage(databases[0]!, { context: 128_000 })
    const { client } = await stage.member('ben')
    const { items } = await client.call(contract.chat.listTools)
    expect(items.find(({ module }) => module === 'sql')).toMatchObject({ module_title: 'SQL databases' })
    const requests = stage.play('everything', [[{ text: 'Seen.' }]])
    const { conversation_id } = await say(client, 'everything')
    const { run_id } = await lastAnswer(client, conversation_id)
    const { parts } = await client.call(contract.chat.prompt, { params: { run_id: run_id! } })
    const told = parts.find(({ kind }) => kind === 'tools')!
    expect(told).toMatchObject({ count: requests[0]!.tools.length })
    expect(namesOf(requests[0]!)).not.toContain('find_tools')
    expect(told.tokens).toBeGreaterThan(5000)
    expect(told.tokens).toBeLessThan(10_000)
    // As it is sent, in another envelope of each provider.
    const sent = Buffer.byteLength(JSON.stringify(requests[0]!.tools))
    expect(sent / 3).toBeLessThan(told.tokens * 1.1)
  })
})
