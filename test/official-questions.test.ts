import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../contract/chat.ts'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { decide, say } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { runModule } from './stage/modules/install-module.ts'
import { packOfficialServer } from './stage/servers/official-server.ts'
import { OFFICIAL_SERVERS } from './stage/servers/official-servers.ts'
import { answer } from './stage/chat/question-stage.ts'

let folder: string
let app: TestApp
let admin: TestClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-questions-'))
  app = await startTestApp()
  admin = await app.as('admin')
  const bundle = join(folder, 'everything.mcpb')
  await packOfficialServer(OFFICIAL_SERVERS.everything, bundle, join(folder, 'work'))
  await runModule(admin, bundle)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Calls a tool of the module, approves the call, and gives the question that it asks then. */
async function question(tool: string): Promise<Approval> {
  const { approvals } = await say(admin, `/everything.${tool} {}`)
  expect(approvals).toMatchObject([{ kind: 'call' }])
  const { result } = await decide(admin, approvals[0]!.approval_id, 'approve')
  expect(result?.approvals).toMatchObject([{ kind: 'question', module: 'everything', tool }])
  return result!.approvals[0]!
}

test('a bundle from elsewhere asks by a form with every kind of field', { timeout: 120_000 }, async () => {
  const card = await question('trigger-elicitation-request')
  const { properties } = card.question!.schema!
  expect(new Set(Object.values(properties).map(({ type }) => type))).toEqual(
    new Set(['string', 'boolean', 'integer', 'number', 'array']),
  )
  const values = { name: 'Ann Example', check: true, integer: 7, birthdate: '1990-02-28', email: 'ann@example.com' }
  const { result } = await answer(admin, card.approval_id, values)
  const preview = result!.tool_calls_executed[0]!.result_preview
  for (const value of ['Ann Example', 'ann@example.com', '1990-02-28']) expect(preview).toContain(value)
})

test('declined, it says so', { timeout: 120_000 }, async () => {
  const card = await question('trigger-elicitation-request')
  const { result } = await answer(admin, card.approval_id, null)
  expect(result!.tool_calls_executed[0]!.result_preview).toContain('declined')
})

test('a picture that it makes becomes a file of the answer', { timeout: 120_000 }, async () => {
  const { approvals } = await say(admin, '/everything.get-tiny-image {}')
  const { result } = await decide(admin, approvals[0]!.approval_id, 'approve')
  expect(result!.generated_files).toMatchObject([{ media_type: 'image/png', extension: 'png' }])
  const { file_id } = result!.generated_files[0]!
  const download = await admin.call(contract.files.download, { params: { file_id } })
  expect(
    Buffer.from(await download.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
})

test('its prompts are there for people', { timeout: 120_000 }, async () => {
  const { items } = await admin.call(contract.chat.listPrompts)
  const entry = items.find(({ arguments: args }) => args.length > 0)!
  expect(entry.module).toBe('everything')
  const values = Object.fromEntries(entry.arguments.map(({ name }) => [name, `{{${name}}}`]))
  const params = { module: entry.module, prompt: entry.name }
  const { text } = await admin.call(contract.chat.fillPrompt, { params, body: { arguments: values } })
  expect(text).toContain(`{{${entry.arguments[0]!.name}}}`)
})

test('its resources can be attached, and it suggests values for its prompts', { timeout: 120_000 }, async () => {
  const { items } = await admin.call(contract.chat.listResources, { query: { q: 'everything architecture' } })
  expect(items).toMatchObject([{ module: 'everything', name: 'architecture.md', media_type: 'text/markdown' }])
  const resource = { uri: items[0]!.uri! }
  const body = { module: 'everything', resource }
  await expect(admin.call(contract.chat.readResource, { body })).rejects.toMatchObject({ code: 'approval_required' })
  const { files } = await admin.call(contract.chat.readResource, { body: { ...body, confirmed: true } })
  expect(files).toMatchObject([{ name: 'architecture.md', origin: { module: 'everything', uri: resource.uri } }])

  const family = (await admin.call(contract.chat.listResources, { query: { q: 'dynamic text' } })).items[0]!
  const values = Object.fromEntries(family.arguments.map((name) => [name, '7']))
  const one = { module: 'everything', resource: { template: family.template!, values }, confirmed: true }
  const read = await admin.call(contract.chat.readResource, { body: one })
  const answer = await admin.call(contract.files.download, { params: { file_id: read.files[0]!.file_id } })
  expect(await answer.text()).toContain('Resource 7')

  const suggest = (argument: string, value: string, given: Record<string, string> = {}) =>
    admin.call(contract.chat.suggestValues, {
      body: { module: 'everything', of: { prompt: 'completable-prompt' }, argument, value, given },
    })
  expect(await suggest('department', 'S')).toEqual({ values: ['Sales', 'Support'] })
  expect(await suggest('name', '', { department: 'Sales' })).toEqual({ values: ['David', 'Eve', 'Frank'] })
})
