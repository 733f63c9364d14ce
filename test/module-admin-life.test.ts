import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle, type BundleOptions } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'

const { modules } = contract
/** What a module gets as its environment is part of its review: a later version with the same names needs none. */
const TOOLS = { TOOLS: '["echo"]' }

describe.each(databases)('the life of a module on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database, env: { REEVE_LOG_LEVEL: 'error' } })
    admin = await app.as('admin')
  })
  afterAll(() => app[Symbol.asyncDispose]())
  /** A module of its own for a test, installed and, unless told otherwise, enabled. */
  async function setUp(
    name: string,
    { enabled = true, ...first }: Partial<BundleOptions> & { enabled?: boolean } = {},
  ) {
    const params = { module_name: name }
    const upgrade = async (version: string, more: Partial<BundleOptions> = {}) =>
      install(admin, await makeBundle({ name, version, ...more }))
    const entry = async () => (await admin.call(modules.list)).catalog.find((each) => each.name === name)
    const installed = await upgrade('1.0.0', first)
    if (enabled) await admin.call(modules.enable, { params, body: {} })
    return { params, upgrade, entry, installed }
  }

  test('is installed without being started, and says what it will run', async () => {
    const { installed } = await setUp('installed', { enabled: false })
    expect(installed).toMatchObject({
      ok: true,
      previous_version: null,
      restart_required: false,
      module: { name: 'installed', version: '1.0.0', state: 'disabled', enabled: false, builtin: false, tools: [] },
      review: { command: 'node', args: ['${__dirname}/server.mjs'], signature: { state: 'unsigned' } },
    })
  })

  test('enabling starts it and agrees to its tools', async () => {
    const { params, entry } = await setUp('enabled', { enabled: false })
    const { module } = await admin.call(modules.enable, { params, body: {} })
    expect(module).toMatchObject({ state: 'running', enabled: true, tools: [{ name: 'echo', pin: 'agreed' }] })
    expect(await entry()).toMatchObject({ state: 'running', tools_count: 1, changed_tools: 0 })
    const { health } = await admin.call(modules.health, { params })
    expect(health.checks.filter(({ status }) => status === 'unhealthy')).toEqual([])
    const { module: diagnostics } = await admin.call(modules.diagnostics, { params })
    expect(diagnostics).toMatchObject({ state: 'running', integrity: { modified: [], missing: [], added: [] } })
    expect(diagnostics.integrity.checked).toBe(2)
  })

  test('an upgrade that wants no more than before continues without a review', async () => {
    const { upgrade } = await setUp('modest')
    const answer = await upgrade('1.1.0', { files: { 'more.txt': 'x' } })
    expect(answer).toMatchObject({ previous_version: '1.0.0', module: { version: '1.1.0', state: 'running' } })
    expect(answer.module.versions.map(({ version, current }) => [version, current])).toEqual([
      ['1.1.0', true],
      ['1.0.0', false],
    ])
  })

  test('an upgrade that wants more waits for a review; its new tool waits to be agreed to', async () => {
    const { params, upgrade } = await setUp('greedy')
    const answer = await upgrade('1.1.0', { env: { TOOLS: '["echo","shout"]' } })
    expect(answer.module).toMatchObject({ version: '1.1.0', state: 'needs_review', enabled: true })
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
    const { upgrade, entry } = await setUp('broken', { env: TOOLS })
    const answer = await upgrade('1.1.0', { env: { TOOLS: 'broken' } })
    expect(answer.module).toMatchObject({ version: '1.0.0', state: 'running' })
    expect(answer.review.warnings).toContainEqual(expect.objectContaining({ code: 'rolled_back', level: 'danger' }))
    expect((await entry())?.version).toBe('1.0.0')
  })

  test('rolls back to the version before, and tells its whole history', async () => {
    const { params, upgrade } = await setUp('returning', { env: TOOLS })
    await upgrade('1.1.0', { env: TOOLS, files: { 'more.txt': 'x' } })
    await upgrade('1.2.0', { env: { TOOLS: 'broken' } })
    const { module } = await admin.call(modules.rollback, { params, body: {} })
    expect(module).toMatchObject({ version: '1.0.0', state: 'running' })
    expect(module.history.map(({ action }) => action)).toEqual([
      'module.rolled_back',
      'module.rolled_back',
      'module.upgraded',
      'module.upgraded',
      'module.enabled',
      'module.installed',
    ])
  })

  test('is disabled and uninstalled; what is left is a backup that installs again', async () => {
    const { params, entry } = await setUp('leaving')
    expect((await admin.call(modules.disable, { params })).module.state).toBe('disabled')
    const gone = await admin.call(modules.uninstall, { params, body: {} })
    expect(gone).toMatchObject({
      ok: true,
      id: 'leaving',
      backup: expect.stringMatching(/^leaving-1\.0\.0-\d{8}t\d{6}\.mcpb$/),
    })
    expect(await entry()).toBeUndefined()
    const { items } = await admin.call(modules.removed)
    expect(items).toMatchObject([{ name: 'leaving', version: '1.0.0', builtin: false }])
    const backup = await admin.call(modules.backup, { params: { backup: items[0]!.backup } })
    const again = await install(admin, Buffer.from(await backup.arrayBuffer()))
    expect(again.module).toMatchObject({ version: '1.0.0', state: 'disabled' })
  })
})
