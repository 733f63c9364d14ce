import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { callsOf, runAttack } from './stage/modules/attack-module.ts'
import { begin, openStage, say, type Member, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const READS = { readOnlyHint: true, destructiveHint: false }
/** Far above what any of it takes, and far below what waiting for the module beside it would take. */
const SOON_MS = 2000

describe('beside a module that misbehaves', () => {
  let stage: Stage
  let admin: TestClient
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(databases[0]!, { engine: false })
    admin = await stage.as('admin')
    const names = ['good', ...['hang', 'flood', 'crash', 'eat'].map((deed) => `bad-${deed}`)]
    ann = await stage.member(
      'ann',
      names.map((name) => ({ subject: `tool:${name}.*`, effect: 'allow' as const })),
    )
    const { policy } = await admin.call(modules.policy)
    await admin.call(modules.savePolicy, { body: { ...policy, memory_mib: 256 } })
    await runAttack(admin, { name: 'good', tools: [{ name: 'say', annotations: READS }] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const detail = async (module_name: string) => (await admin.call(modules.module, { params: { module_name } })).module
  const exits = async (module_name: string) =>
    (await admin.call(modules.diagnostics, { params: { module_name } })).module.last_exits

  test.each<[string, (name: string) => Promise<unknown>]>([
    ['hang', async (name) => until(async () => (await callsOf(stage.dataFolder, name)).length > 0)],
    ['flood', async (name) => until(async () => (await callsOf(stage.dataFolder, name)).length > 0)],
    ['crash', async (name) => until(async () => (await exits(name)).length > 0)],
    ['eat', async (name) => until(async () => (await exits(name)).length > 0)],
  ])('everything else goes on: %s', { timeout: 120_000 }, async (deed, happened) => {
    const name = `bad-${deed}`
    await runAttack(admin, { name, tools: [{ name: deed, annotations: READS }] })
    const bad = await begin(ann.client, `/${name}.${deed}`)
    await happened(name)

    const took: Record<string, number> = {}
    async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
      const from = performance.now()
      await work()
      took[what] = Math.max(took[what] ?? 0, performance.now() - from)
    }
    const bob = await stage.as('bob')
    for (let i = 0; i < 5; i++) {
      await timed('another module', async () => {
        const { tool_calls_executed } = await say(ann.client, '/good.say')
        expect(tool_calls_executed).toMatchObject([{ module: 'good', status: 'done' }])
      })
      await timed('a built-in', async () => {
        const { tool_calls_executed } = await say(bob, '/system.host')
        expect(tool_calls_executed).toMatchObject([{ module: 'system', status: 'done' }])
      })
      await timed('the list', () => ann.client.call(contract.chat.listConversations))
      await timed('its page', () => detail(name))
    }
    expect(Object.entries(took).filter(([, ms]) => ms > SOON_MS)).toEqual([])
    expect((await detail('good')).restarts).toBe(0)

    // Whoever called it gets out, and an administrator ends it.
    await ann.client
      .call(contract.chat.cancel, { body: { conversation_id: bad.conversation_id } })
      .catch(() => undefined)
    const { module } = await admin.call(modules.disable, { params: { module_name: name } })
    expect(module.state).toBe('disabled')
    await until(
      async () => (await admin.call(modules.diagnostics, { params: { module_name: name } })).module.process === null,
    )
  })
})
