import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, openStage, partsOf, say, type Member, type Stage } from './stage/chat-stage.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const params = { module_name: 'plain' }

describe.each(databases)('calls of an installed module on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    ann = await stage.member('ann', [{ subject: 'tool:plain.*', effect: 'allow' }])
    await install(admin, await makeBundle({ env: { TOOLS: '["echo","hold"]' } }))
    await admin.call(modules.enable, { params, body: {} })
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => (error as ProblemAnswer).code,
    )
  const call = async (conversation_id: string) => {
    const { messages } = await ann.client.call(contract.chat.conversation, { params: { conversation_id } })
    return messages.flatMap((message) => partsOf(message, 'tool_call'))[0]?.tool_call
  }

  test('run as the rules say while its tools are as they were agreed to', async () => {
    const { approvals, conversation_id } = await say(ann.client, '/plain.echo {"text":"hi"}')
    expect(approvals).toEqual([])
    expect(await call(conversation_id)).toMatchObject({
      status: 'done',
      result_preview: expect.stringContaining('echo: hi'),
    })
  })

  test('ask for a tool that is new or changed, whatever the rules say, until it is agreed to', async () => {
    const bundle = await makeBundle({ version: '1.1.0', env: { TOOLS: '["echo","hold","extra"]' } })
    await install(admin, bundle)
    const { module } = await admin.call(modules.enable, { params, body: {} })
    const { approvals, conversation_id } = await say(ann.client, '/plain.extra {"text":"hi"}')
    expect(approvals).toHaveLength(1)
    await ann.client.call(contract.chat.cancel, { body: { conversation_id } })
    const { definition_hash } = module.tools.find(({ name }) => name === 'extra')!
    expect(await refusal(agree('0'.repeat(64)))).toBe('module_changed')
    await agree(definition_hash)
    expect((await say(ann.client, '/plain.extra {"text":"hi"}')).approvals).toEqual([])
  })
  const agree = (definition_hash: string) =>
    admin.call(modules.agree, { params, body: { tools: [{ name: 'extra', definition_hash }] } })

  test('show on their card what the module says of them, as its words, while the tool is what it was', async () => {
    const enable = async (version: string, SUMMARY: string) => {
      await install(admin, await makeBundle({ name: 'teller', version, env: { SUMMARY } }))
      const about = { module_name: 'teller' }
      const { module } = await admin.call(modules.enable, { params: about, body: {} })
      return module.tools[0]!.definition_hash
    }
    const before = await enable('1.0.0', 'Says {text}[ to {whom}]')
    const asked = (await say(admin, '/teller.echo {"text":"a\\u202eb"}')).approvals[0]!
    expect(asked).toMatchObject({
      summary: 'Runs echo with text="a\\u{202e}b"',
      claim: 'Says "a\\u{202e}b"',
      module: 'teller',
    })
    const { conversation_id } = asked
    await admin.call(contract.chat.cancel, { body: { conversation_id } })
    expect(await enable('1.1.0', 'Does something else')).not.toBe(before)
    const { items } = await admin.call(contract.chat.listApprovals, { query: { status: 'cancelled' } })
    expect(items.find(({ approval_id }) => approval_id === asked.approval_id)).not.toHaveProperty('claim')
  })

  test('that run are not lost to a change of the module', async () => {
    const { conversation_id } = await begin(ann.client, '/plain.hold {}')
    await until(async () => (await call(conversation_id))?.status === 'running', { what: 'the call runs' })
    expect(await refusal(admin.call(modules.repair, { params }))).toBe('module_busy')
    expect(await refusal(install(admin, await makeBundle({ version: '1.2.0' })))).toBe('module_busy')
    expect(await refusal(admin.call(modules.rollback, { params, body: {} }))).toBe('module_busy')
    expect(await refusal(admin.call(modules.uninstall, { params, body: {} }))).toBe('module_busy')
    await writeFile(join(stage.dataFolder, 'modules/data/plain/release'), '')
    const ended = await until(
      async () => {
        const found = await call(conversation_id)
        return found?.status === 'running' ? undefined : found
      },
      { what: 'the call ends' },
    )
    expect(ended).toMatchObject({ status: 'done' })
  })
})
