import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { say } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { runModule } from './stage/modules/install-module.ts'
import { packOfficialServer } from './stage/servers/official-server.ts'
import { OFFICIAL_SERVERS } from './stage/servers/official-servers.ts'

let folder: string
let app: TestApp
let admin: TestClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-official-'))
  app = await startTestApp()
  admin = await app.as('admin')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function pack(name: keyof typeof OFFICIAL_SERVERS): Promise<string> {
  const bundle = join(folder, `${name}.mcpb`)
  await packOfficialServer(OFFICIAL_SERVERS[name], bundle, join(folder, name))
  return bundle
}

/** Lets a tool of a module run without a card, for the administrators' role as for anybody. */
async function use(message: string) {
  const first = await say(admin, message)
  if (first.approvals.length === 0) return first
  const { result } = await admin.call(contract.chat.decideApproval, {
    params: { approval_id: first.approvals[0]!.approval_id },
    body: { decision: 'approve' },
  })
  return result!
}

/** The level that this machine gives to a Node program; each module has to get it. */
async function bestLevel(): Promise<string> {
  const { isolation } = await admin.call(contract.modules.policy)
  return isolation[0]!.level
}

test('everything: lists its tools, is kept apart, and acts through chat', { timeout: 120_000 }, async () => {
  const module = await runModule(admin, await pack('everything'))
  expect(module.state).toBe('running')
  expect(module.isolation.level).toBe(await bestLevel())
  expect(module.tools.length).toBeGreaterThanOrEqual(13)
  const result = await use('/everything.echo {"message":"hello from a bundle"}')
  expect(result.tool_calls_executed[0]).toMatchObject({ module: 'everything', tool: 'echo', status: 'done' })
  expect(result.tool_calls_executed[0]!.result_preview).toContain('hello from a bundle')
})

test('everything: sees no variable of the service', { timeout: 120_000 }, async () => {
  const result = await use('/everything.get-env {}')
  const seen = result.tool_calls_executed[0]!.result_preview!
  expect(seen).toContain('HOME')
  expect(seen).not.toMatch(/REEVE_|NODE_ENV|VITEST|sk-test-key/)
})

test('filesystem: reads the granted folder and nothing else', { timeout: 120_000 }, async () => {
  const shared = await mkdtemp(join(folder, 'shared-'))
  await writeFile(join(shared, 'note.txt'), 'the harbour is quiet')
  const module = await runModule(admin, await pack('filesystem'), { values: { folders: [shared] } })
  expect(module.state).toBe('running')
  const read = await use(`/filesystem.read_text_file ${JSON.stringify({ path: join(shared, 'note.txt') })}`)
  expect(read.tool_calls_executed[0]!.result_preview).toContain('the harbour is quiet')
  const other = await use(`/filesystem.read_text_file {"path":"/etc/hostname"}`)
  expect(other.tool_calls_executed[0]!.status).toBe('failed')
  await use(`/filesystem.write_file ${JSON.stringify({ path: join(shared, 'new.txt'), content: 'written' })}`)
  expect(await readFile(join(shared, 'new.txt'), 'utf8')).toBe('written')
})

test('memory: keeps what it was told across a restart of the module', { timeout: 120_000 }, async () => {
  await runModule(admin, await pack('memory'))
  const entities = [{ name: 'web-1', entityType: 'host', observations: ['runs nginx'] }]
  await use(`/memory.create_entities ${JSON.stringify({ entities })}`)
  const params = { module_name: 'memory' }
  await admin.call(contract.modules.disable, { params })
  await admin.call(contract.modules.enable, { params })
  const result = await use('/memory.search_nodes {"query":"nginx"}')
  expect(result.tool_calls_executed[0]!.result_preview).toContain('web-1')
})

test('sequential-thinking: lists its tool and answers', { timeout: 120_000 }, async () => {
  const module = await runModule(admin, await pack('sequential-thinking'))
  expect(module.tools.map(({ name }) => name)).toEqual(['sequentialthinking'])
  const input = { thought: 'First things first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
  const result = await use(`/sequential-thinking.sequentialthinking ${JSON.stringify(input)}`)
  expect(result.tool_calls_executed[0]!.status).toBe('done')
})
