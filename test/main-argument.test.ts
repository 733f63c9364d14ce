import { Server } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { BuiltinModule } from '../server/modules/spec/builtin-module.ts'
import { lastAnswer, type Member, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import { askingModule } from './stage/modules/asking-module.ts'
import { databases } from './stage/servers/postgres.ts'

const inputSchema = {
  type: 'object' as const,
  properties: { path: { type: 'string' }, service: { type: 'string' }, limit: { type: 'integer' } },
}
const named = (name: string, main_argument: unknown, readOnlyHint = true) => ({
  name,
  title: 'Restart',
  inputSchema,
  annotations: { readOnlyHint },
  _meta: { 'dev.reeve': { main_argument } },
})
const tools = [
  named('one', 'service'),
  named('odd', 'nothing'),
  named('worse', { service: 1 }),
  named('act', 'service', false),
]

const module: BuiltinModule = {
  manifest: { ...askingModule.manifest, name: 'keeper', display_name: 'Keeper' },
  reach: 'own',
  createServer: () => {
    const server = new Server({ name: 'keeper', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({ tools }))
    server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'Done.' }] }))
    return Promise.resolve(server)
  },
}

describe.each(databases)('the main argument that a tool names, on $name', (database) => {
  let stage: Stage
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, builtins: [module] })
    ann = await stage.member('ann', [{ subject: 'tool:keeper.act', effect: 'ask' }])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const called = async (tool: string) => {
    const { conversation_id } = await say(ann.client, `/keeper.${tool} path=/etc limit=3 service=nginx`)
    const { title } = await ann.client.call(contract.chat.conversation, { params: { conversation_id } })
    const [part] = partsOf(await lastAnswer(ann.client, conversation_id), 'tool_call')
    return { title, call: part!.tool_call, card: part!.approval }
  }

  test('is told with the call and names the conversation', async () => {
    const { title, call } = await called('one')
    expect(call).toMatchObject({ status: 'done', main_argument: 'service', arguments: { service: 'nginx' } })
    expect(title).toBe('Restart: nginx')
  })

  test.each(['odd', 'worse'])('is none where no argument has that name (%s)', async (tool) => {
    const { title, call } = await called(tool)
    expect(call).toMatchObject({ status: 'done' })
    expect(call).not.toHaveProperty('main_argument')
    expect(title).toBe('Restart: /etc')
  })

  test('is told with the card', async () => {
    const { call, card } = await called('act')
    expect(call).toMatchObject({ status: 'awaiting_approval', main_argument: 'service' })
    expect(card).toMatchObject({ kind: 'call', main_argument: 'service' })
    const { items } = await ann.client.call(contract.chat.listApprovals, { query: {} })
    expect(items).toMatchObject([{ main_argument: 'service' }])
  })
})
