import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './app.ts'
import type { TestClient } from './client.ts'
import { install, makeBundle } from './module-bundles.ts'
import { databases } from './postgres.ts'

const { modules } = contract

describe.each(databases)('the life of a module on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database, env: { REEVE_LOG_LEVEL: 'error' } })
    admin = await app.as('admin')
  })
  afterAll(() => app[Symbol.asyncDispose]())
  const params = { module_name: 'plain' }
  const entry = async () => (await admin.call(modules.list)).catalog.find(({ name }) => name === 'plain')

  test('is installed without being started, and says what it will run', async () => {
    const answer = await install(admin, await makeBundle())
    expect(answer).toMatchObject({
      ok: true,
      previous_version: null,
      restart_required: false,
      module: { name: 'plain', version: '1.0.0', state: 'disabled', enabled: false, builtin: false, tools: [] },
      review: { command: 'node', args: ['${__dirname}/server.mjs'], signature: { state: 'unsigned' } },
    })
    expect(app.app.db).toBeDefined()
  })

  test('enabling starts it and agrees to its tools', async () => {
    const { module, catalog } = await admin.call(modules.enable, { params, body: {} })
    expect(module).toMatchObject({ state: 'running', enabled: true, tools: [{ name: 'echo', pin: 'agreed' }] })
    expect(catalog.find(({ name }) => name === 'plain')).toMatchObject({
      state: 'running',
      tools_count: 1,
      changed_tools: 0,
    })
    const { health } = await admin.call(modules.health, { params })
    expect(health.checks.filter(({ status }) => status === 'unhealthy')).toEqual([])
    const { module: diagnostics } = await admin.call(modules.diagnostics, { params })
    expect(diagnostics).toMatchObject({ state: 'running', integrity: { modified: [], missing: [], added: [] } })
    expect(diagnostics.integrity.checked).toBe(2)
  })

  test('an upgrade that wants no more goes on by itself; its new tool asks until it is agreed to', async () => {
    const bundle = await makeBundle({ version: '1.1.0', files: { 'more.txt': 'x' } })
    const answer = await install(admin, bundle)
    expect(answer).toMatchObject({ previous_version: '1.0.0', module: { version: '1.1.0', state: 'running' } })
    expect(answer.module.versions.map(({ version, current }) => [version, current])).toEqual([
      ['1.1.0', true],
      ['1.0.0', false],
    ])
  })

  test('an upgrade that wants more waits for a review', async () => {
    const bundle = await makeBundle({ version: '1.2.0', env: { TOOLS: '["echo","shout"]' } })
    const answer = await install(admin, bundle)
    expect(answer.module).toMatchObject({ version: '1.2.0', state: 'needs_review', enabled: true })
    const { module } = await admin.call(modules.enable, { params, body: { digest: answer.module.versions[0]!.digest } })
    expect(module).toMatchObject({ state: 'running', changed_tools: 1 })
    const shout = module.tools.find(({ name }) => name === 'shout')!
    expect(shout.pin).toBe('new')
    const agreed = await admin.call(modules.agree, {
      params,
      body: { tools: [{ name: 'shout', definition_hash: shout.definition_hash }] },
    })
    expect(agreed.module).toMatchObject({ state: 'running', changed_tools: 0 })
  })

  test('an upgrade that does not come up is taken back', async () => {
    const bundle = await makeBundle({ version: '1.3.0', env: { TOOLS: 'broken' } })
    const answer = await install(admin, bundle)
    expect(answer.module).toMatchObject({ version: '1.2.0', state: 'running' })
    expect(answer.review.warnings).toContainEqual(expect.objectContaining({ code: 'rolled_back', level: 'danger' }))
    expect((await entry())?.version).toBe('1.2.0')
  })

  test('rolls back to the version before', async () => {
    const { module } = await admin.call(modules.rollback, { params, body: {} })
    expect(module).toMatchObject({ version: '1.1.0', state: 'running' })
    expect(module.history.map(({ action }) => action)).toEqual([
      'module.rolled_back',
      'module.rolled_back',
      'module.upgraded',
      'module.tools_agreed',
      'module.enabled',
      'module.upgraded',
      'module.upgraded',
      'module.enabled',
      'module.installed',
    ])
  })

  test('is disabled and uninstalled; what is left is a backup that installs again', async () => {
    expect((await admin.call(modules.disable, { params })).module.state).toBe('disabled')
    const gone = await admin.call(modules.uninstall, { params, body: {} })
    expect(gone).toMatchObject({
      ok: true,
      id: 'plain',
      backup: expect.stringMatching(/^plain-1\.1\.0-\d{8}t\d{6}\.mcpb$/),
    })
    expect(await entry()).toBeUndefined()
    const { items } = await admin.call(modules.removed)
    expect(items).toMatchObject([{ name: 'plain', version: '1.1.0', builtin: false }])
    const backup = await admin.call(modules.backup, { params: { backup: items[0]!.backup } })
    const again = await install(admin, Buffer.from(await backup.arrayBuffer()))
    expect(again.module).toMatchObject({ version: '1.1.0', state: 'disabled' })
  })
})
