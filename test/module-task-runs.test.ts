import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, messagesOf, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

/** Its tools are tasks only: `quick` ends when it is asked about, `long` when it is cancelled. It logs what is asked of it. */
const SERVER = `
import { createInterface } from 'node:readline'
const tool = (name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: false, destructiveHint: false }, execution: { taskSupport: 'required' } })
const about = (taskId, status, statusMessage) => ({ taskId, status, statusMessage, ttl: 1000, createdAt: '', lastUpdatedAt: '', pollInterval: 100 })
const cancelled = new Set()
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }, serverInfo: { name: 'tasker', version: '1' } }),
  'tools/list': () => ({ tools: [tool('quick'), tool('long')] }),
  'tools/call': ({ name }) => ({ task: about(name, 'working', 'The ' + name + ' one has begun') }),
  'tasks/get': ({ taskId }) => about(taskId, cancelled.has(taskId) ? 'cancelled' : taskId === 'quick' ? 'completed' : 'working'),
  'tasks/result': ({ taskId }) => ({ content: [{ type: 'text', text: 'This was ' + taskId }] }),
  'tasks/cancel': ({ taskId }) => (cancelled.add(taskId), about(taskId, 'cancelled')),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'tools/call' || method === 'tasks/cancel') process.stderr.write(method + '\\n')
  const reply = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: 'Method not found' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\\n')
})
`

describe.each(databases)('calls that become tasks, on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    ann = (await stage.member('ann', [{ subject: 'tool:tasker.*', effect: 'allow' }])).client
    await install(admin, await makeBundle({ name: 'tasker', files: { 'server.mjs': SERVER } }))
    await admin.call(contract.modules.enable, { params: { module_name: 'tasker' }, body: {} })
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const callIn = async (conversation_id: string) =>
    (await messagesOf(ann, conversation_id)).flatMap((message) => partsOf(message, 'tool_call'))[0]!.tool_call
  const log = async () => (await admin.call(contract.modules.module, { params: { module_name: 'tasker' } })).module.log

  test('end with the result of their task', async () => {
    const { conversation_id } = await say(ann, '/tasker.quick {}')
    expect(await callIn(conversation_id)).toMatchObject({ status: 'done', result_preview: 'This was quick' })
    expect(await log()).toEqual(['tools/call'])
  })

  test('are stopped with their run: the task is cancelled, once, and the call is unknown', async () => {
    const { conversation_id } = await begin(ann, '/tasker.long {}')
    await until(async () => (await log()).length === 2, { what: 'the task has begun' })
    await ann.call(contract.chat.cancel, { body: { conversation_id } })
    await until(async () => (await callIn(conversation_id)).status === 'unknown', { what: 'the call has ended' })
    expect(await log()).toEqual(['tools/call', 'tools/call', 'tasks/cancel'])
    const { module } = await admin.call(contract.modules.module, { params: { module_name: 'tasker' } })
    expect(module).toMatchObject({ state: 'running', restarts: 0 })
  })
})
