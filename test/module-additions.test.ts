import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { ModuleAddition } from '../contract/module-additions.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { greeter } from './stage/npm/greeter.ts'
import { type MadePackage, serveNpm } from './stage/npm/npm-registry.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract

describe.each(databases)('adding from a registry on $name', (database) => {
  let registry: Awaited<ReturnType<typeof serveNpm>>
  let app: TestApp
  let admin: TestClient
  /** Lets requests for `slow-…` wait. */
  const held = Promise.withResolvers<void>()
  beforeAll(async () => {
    registry = await serveNpm({
      answer(request, response) {
        if (!request.url!.startsWith('/slow')) return false
        void held.promise.then(() => response.writeHead(404).end('{}'))
        return true
      },
    })
    registry.publish(greeter('1.0.0'))
    app = await startTestApp({ database, env: { REEVE_NPM_REGISTRY: registry.url, REEVE_NPM_TOKEN: 'mirror-token' } })
    admin = await app.as('admin')
  })
  afterAll(async () => {
    held.resolve()
    await app[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
  })

  const begin = async (name: string, more: object = {}) =>
    (await admin.call(modules.addModule, { body: { source: { kind: 'npm', name, ...more } } })).addition
  const ended = ({ addition_id }: ModuleAddition) =>
    until(async () => {
      const { items } = await admin.call(modules.additions)
      const found = items.find((one) => one.addition_id === addition_id)
      return found === undefined || found.state === 'running' ? null : found
    })
  const detail = async (module_name: string) => (await admin.call(modules.module, { params: { module_name } })).module

  test('a name becomes a module that waits for its review, its secret sealed', async () => {
    const variables = [{ name: 'API_TOKEN', value: 'very-secret-4711', sensitive: true }]
    const addition = await begin('@test/greeter', { variables })
    expect(addition).toMatchObject({ state: 'running', source: '@test/greeter@latest' })
    expect(await ended(addition)).toMatchObject({ state: 'done', module: 'test-greeter', problem: null })
    const module = await detail('test-greeter')
    const source = { kind: 'npm', name: '@test/greeter' }
    expect(module).toMatchObject({ enabled: false, version: '1.0.0', source, previous_version: null })
    expect(Date.parse(module.changed_at!)).toBeGreaterThan(Date.now() - 60_000)
    expect(module.review?.env_keys).toEqual(['API_TOKEN'])
    const { settings } = await admin.call(modules.settings, { params: { module_name: 'test-greeter' } })
    expect(settings.values['API_TOKEN']).toMatchObject({ configured: true })
    const rows = await app.app.db.read.selectFrom('module_addition').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('4711')
    expect(new Set(registry.asked.map((one) => one.authorization))).toEqual(new Set(['Bearer mirror-token']))
  })

  test('it runs once it is enabled; a newer version is found when asked for, and waits for a review', async () => {
    const params = { module_name: 'test-greeter' }
    await admin.call(modules.enable, { params })
    await until(async () => (await detail('test-greeter')).state === 'running')
    const none = await admin.call(modules.checkUpdates)
    expect(none.items).toEqual([{ module: 'test-greeter', version: '1.0.0', newer: null, problem: null }])
    registry.publish({ name: 'helper', version: '2.0.0' }, greeter('1.1.0', { dependencies: { helper: '2' } }))
    const found = await admin.call(modules.checkUpdates)
    expect(found.items).toEqual([{ module: 'test-greeter', version: '1.0.0', newer: '1.1.0', problem: null }])
    expect((await detail('test-greeter')).version).toBe('1.0.0')

    const { addition } = await admin.call(modules.updateModule, { params })
    expect(await ended(addition)).toMatchObject({ state: 'done', module: 'test-greeter' })
    const module = await detail('test-greeter')
    expect(module).toMatchObject({ version: '1.1.0', state: 'needs_review', previous_version: '1.0.0' })
    const changes = module.review?.warnings.find(({ code }) => code === 'packages_changed')
    expect(changes?.message).toContain('+ helper@2.0.0')
    await admin.call(modules.enable, { params })
    await until(async () => (await detail('test-greeter')).state === 'running')
    const { settings } = await admin.call(modules.settings, { params })
    expect(settings.values['API_TOKEN']).toMatchObject({ configured: true })
  })

  test('what fails says why, in the language of the reader, and leaves no module', async () => {
    const before = (await admin.call(modules.list)).catalog.length
    const failed = await ended(await begin('nobody-has-this'))
    expect(failed).toMatchObject({ state: 'failed', module: null, problem: 'There is no package nobody-has-this.' })
    await admin.call(contract.accounts.updatePreferences, { body: { language: 'de' } })
    const [german] = (await admin.call(modules.additions)).items
    expect(german?.problem).toBe('Es gibt kein Paket nobody-has-this.')
    await admin.call(contract.accounts.updatePreferences, { body: { language: 'en' } })
    expect((await admin.call(modules.list)).catalog).toHaveLength(before)
  })

  test('the same version is packed again with other packages, never with the same; another package of its name is refused', async () => {
    const helper = (version: string): MadePackage => ({ name: '@test/helper', version, entries: [] })
    registry.publish(helper('1.0.0'))
    registry.publish({ ...greeter('1.0.0', { dependencies: { '@test/helper': '*' } }), name: '@test/twice' })
    expect(await ended(await begin('@test/twice'))).toMatchObject({ state: 'done' })
    expect(await ended(await begin('@test/twice'))).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('1.0.0 is installed already'),
    })
    registry.publish(helper('1.1.0'))
    expect(await ended(await begin('@test/twice'))).toMatchObject({ state: 'done', module: 'test-twice' })
    expect((await detail('test-twice')).enabled).toBe(false)
    // Its slug is the same, and it would get what the other was given.
    registry.publish({ ...greeter('9.0.0'), name: 'test-twice' })
    expect(await ended(await begin('test-twice'))).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('from npm:@test/twice'),
    })
  })

  test('one that is cancelled ends; more than two at once are refused', async () => {
    const [one, two] = [await begin('slow-one'), await begin('slow-two')]
    await expect(begin('slow-three')).rejects.toMatchObject({ code: 'too_many_additions' })
    for (const { addition_id } of [one, two]) {
      const { addition } = await admin.call(modules.cancelAddition, { params: { addition_id } })
      expect(addition.state).toBe('cancelled')
    }
    await expect(admin.call(modules.cancelAddition, { params: { addition_id: 'none' } })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('one whose process is gone counts as ended', async () => {
    const addition = await begin('slow-four')
    await admin.call(modules.cancelAddition, { params: { addition_id: addition.addition_id } })
    await app.app.db.write
      .updateTable('module_addition')
      .set({ state: 'running', seen_at: Date.now() - 60_000 })
      .where('addition_id', '=', addition.addition_id)
      .execute()
    expect((await ended(addition)).state).toBe('ended')
  })

  test('a built-in module has nothing to update from', async () => {
    const update = admin.call(modules.updateModule, { params: { module_name: 'system' } })
    await expect(update).rejects.toMatchObject({ code: 'not_from_registry' })
  })

  test('an address in a private network is not fetched', async () => {
    const url = registry.url.replace('http:', 'https:')
    const { addition } = await admin.call(modules.addModule, {
      body: { source: { kind: 'address', url: `${url}a.mcpb` } },
    })
    expect(await ended(addition)).toMatchObject({ state: 'failed', module: null })
  })
})

test('with the registry off nothing is asked', async () => {
  await using app = await startTestApp({ env: { REEVE_NPM_REGISTRY: 'off' } })
  const admin = await app.as('admin')
  expect((await admin.call(modules.additions)).registry).toBeNull()
  const source = { kind: 'npm' as const, name: 'left-pad' }
  const { addition } = await admin.call(modules.addModule, { body: { source } })
  const found = await until(async () => {
    const [first] = (await admin.call(modules.additions)).items
    return first?.state === 'running' ? null : first
  })
  expect(found).toMatchObject({ addition_id: addition.addition_id, state: 'failed' })
})
