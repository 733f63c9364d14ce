import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { contract } from '../contract/index.ts'
import type { ModuleAddition } from '../contract/module-additions.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { makeBundle } from './stage/modules/module-bundles.ts'
import { PYTHON_SERVER, servePypi } from './stage/pypi/pypi-index.ts'
import { makeUvBundle } from './stage/pypi/uv-bundle.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const greeter = (version: string) => ({
  name: 'mcp-greeter',
  version,
  requires: ['greeting-words'],
  scripts: 'mcp-greeter = mcp_greeter:main',
  files: { 'mcp_greeter.py': PYTHON_SERVER },
})

describe.each(databases)('adding a Python package on $name', (database) => {
  let index: Awaited<ReturnType<typeof servePypi>>
  let app: TestApp
  let admin: TestClient
  /** Paths that are not answered before something has happened, and then with an error. */
  let held: Record<string, Promise<unknown>> = {}
  beforeAll(async () => {
    index = await servePypi({
      answer({ url = '' }, response) {
        const answer = Object.hasOwn(held, url) ? held[url] : undefined
        if (answer !== undefined) void answer.then(() => response.writeHead(500).end())
        return answer !== undefined
      },
    })
    await index.publish(
      { name: 'greeting-words', version: '1.0', files: { 'greeting_words.py': 'WORD = "hello"' } },
      greeter('1.0.0'),
    )
    app = await startTestApp({ database, env: { REEVE_PYPI_INDEX: index.url, REEVE_PYPI_TOKEN: 'index-token' } })
    admin = await app.as('admin')
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await index[Symbol.asyncDispose]()
  })
  const params = { module_name: 'mcp-greeter' }
  const detail = async () => (await admin.call(modules.module, { params })).module
  const ended = ({ addition_id }: ModuleAddition) =>
    until(
      async () => {
        const { items } = await admin.call(modules.additions)
        const found = items.find((one) => one.addition_id === addition_id)
        return found === undefined || found.state === 'running' ? null : found
      },
      {
        timeout: 60_000,
      },
    )

  test('it is fetched, reviewed and runs; a newer version is found and waits for a review', async () => {
    expect((await admin.call(modules.additions)).python_index).toBe(new URL(index.url).host)
    const source = {
      kind: 'pypi' as const,
      name: 'mcp-greeter',
      args: ['loudly'],
      variables: [{ name: 'API_TOKEN', value: 'very-secret-4711', sensitive: true }],
    }
    const { addition } = await admin.call(modules.addModule, { body: { source } })
    expect(await ended(addition)).toMatchObject({ state: 'done', module: 'mcp-greeter', problem: null })
    expect(new Set(index.asked.map((one) => one.authorization))).toEqual(new Set(['Bearer index-token']))
    await admin.call(modules.enable, { params })
    await until(async () => (await detail()).state === 'running')
    expect((await detail()).tools.map(({ description }) => description)).toEqual(['Says hello'])
    const current = { module: 'mcp-greeter', version: '1.0.0', newer: null, problem: null }
    expect((await admin.call(modules.checkUpdates)).items).toEqual([current])

    await index.publish(greeter('1.1.0'))
    expect((await admin.call(modules.checkUpdates)).items).toEqual([{ ...current, newer: '1.1.0' }])
    expect(await ended((await admin.call(modules.updateModule, { params })).addition)).toMatchObject({ state: 'done' })
    const module = await detail()
    expect(module).toMatchObject({ version: '1.1.0', state: 'needs_review' })
    expect(module.review?.args?.slice(-1)).toEqual(['loudly'])
    const changes = module.review?.warnings.find(({ code }) => code === 'packages_changed')
    expect(changes?.message).toContain('+ mcp-greeter@1.1.0')
  }, 120_000)

  test('an update has the extras that were asked for, and follows a candidate of its release', async () => {
    const speaker = (version: string) => ({
      ...greeter(version),
      name: 'mcp-speaker',
      scripts: 'mcp-speaker = mcp_greeter:main',
      extras: ['cli'],
      requires: ['greeting-words; extra == "cli"'],
    })
    await index.publish(speaker('2.0.0rc1'))
    const own = { module_name: 'mcp-speaker' }
    const module = async () => (await admin.call(modules.module, { params: own })).module
    const running = async () => {
      await admin.call(modules.enable, { params: own })
      await until(async () => (await module()).state === 'running')
      return (await module()).tools.map(({ description }) => description)
    }
    const source = { kind: 'pypi' as const, name: 'mcp-speaker[cli]', range: '==2.0.0rc1' }
    const { addition } = await admin.call(modules.addModule, { body: { source } })
    expect(await ended(addition)).toMatchObject({ state: 'done', module: 'mcp-speaker', problem: null })
    expect(await running()).toEqual(['Says hello'])

    await index.publish(speaker('2.0.0'))
    const found = (await admin.call(modules.checkUpdates)).items.find((one) => one.module === 'mcp-speaker')
    expect(found).toMatchObject({ newer: '2.0.0', problem: null })
    const updated = (await admin.call(modules.updateModule, { params: own })).addition
    expect(updated.source).toBe('mcp-speaker[cli]@latest')
    expect(await ended(updated)).toMatchObject({ state: 'done', problem: null })
    expect(await module()).toMatchObject({ version: '2.0.0', state: 'needs_review' })
    expect(await running()).toEqual(['Says hello'])
  }, 120_000)

  describe('of several modules', () => {
    const names = ['one', 'two', 'three', 'four'].map((word) => `mcp-several-${word}`)
    const several = (name: string, version: string) => ({
      ...greeter(version),
      name,
      scripts: `${name} = mcp_greeter:main`,
    })
    const updates = async () =>
      (await admin.call(modules.checkUpdates)).items.filter(({ module }) => names.includes(module))
    beforeAll(async () => {
      for (const name of names) {
        await index.publish(several(name, '1.0.0'))
        const source = { kind: 'pypi' as const, name }
        await ended((await admin.call(modules.addModule, { body: { source } })).addition)
        await index.publish(several(name, '1.1.0'))
      }
    }, 120_000)
    /** Those of single modules, which the test ends instead of the clock. */
    let limits: AbortController[] = []
    beforeEach(() => {
      index.asked.length = 0
      limits = []
      const timeout = AbortSignal.timeout
      vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
        if (ms !== 25_000 && ms !== 50_000) return timeout(ms)
        const limit = new AbortController()
        if (ms === 25_000) limits.push(limit)
        return limit.signal
      })
    })
    afterEach(() => {
      held = {}
      vi.restoreAllMocks()
    })
    const [slow = '', ...others] = names
    const path = `/simple/${slow}/`
    const asked = (name: string) => index.asked.some((one) => one.path === `/simple/${name}/`)

    test('newer versions are looked for side by side, and what fails is said of that one alone', async () => {
      const waiting = Promise.withResolvers<void>()
      held = { [path]: waiting.promise }
      const found = updates()
      await until(() => others.every(asked), { timeout: 60_000 })
      waiting.resolve()
      const items = await found
      expect(items.map(({ module }) => module).sort()).toEqual([...names].sort())
      for (const { module, newer, problem } of items)
        expect([module, newer, problem]).toEqual(
          module === slow ? [slow, null, expect.stringContaining('answered 500')] : [module, '1.1.0', null],
        )
    }, 120_000)

    test('one that does not answer is given up by itself', async () => {
      const all = (await admin.call(modules.checkUpdates)).items
      held = { [path]: new Promise(() => undefined) }
      index.asked.length = 0
      limits = []
      const found = updates()
      await until(() => [slow, ...others].every(asked), { timeout: 60_000 })
      // They are begun in the order in which they are answered.
      limits[all.findIndex(({ module }) => module === slow)]!.abort()
      const items = await found
      expect(
        items
          .filter(({ newer }) => newer === '1.1.0')
          .map(({ module }) => module)
          .sort(),
      ).toEqual(others.toSorted())
      expect(items.find(({ module }) => module === slow)).toMatchObject({
        newer: null,
        problem: 'The registry did not answer in time.',
      })
    }, 120_000)
  })

  test('a bundle of uv is packed with its packages before it is installed, waits for a review, and runs isolated', async () => {
    const own = { module_name: 'mcp-own' }
    const module = async () => (await admin.call(modules.module, { params: own })).module
    const headers = { 'x-module-filename': 'own.mcpb' }
    const body = await makeUvBundle({ dependencies: ['greeting-words'] })
    await expect(admin.call(modules.install, { headers, body })).rejects.toMatchObject({ code: 'uv_bundle' })
    const { addition } = await admin.call(modules.sendModule, { headers, body })
    expect(addition).toMatchObject({ source: 'own.mcpb', state: 'running' })
    expect(await ended(addition)).toMatchObject({ state: 'done', module: 'mcp-own', problem: null })
    const installed = await module()
    expect(installed).toMatchObject({ version: '1.0.0', enabled: false, review: { command: 'python3' } })
    expect(installed.review?.warnings.filter(({ level }) => level === 'danger')).toEqual([])
    expect(installed.review?.capabilities.network).toBe('none')
    await admin.call(modules.enable, { params: own })
    await until(async () => (await module()).state === 'running')
    expect((await module()).tools.map(({ description }) => description)).toEqual(['Says hello'])
    expect((await admin.call(modules.checkUpdates)).items.map((one) => one.module)).not.toContain('mcp-own')

    const next = await makeUvBundle({ version: '1.1.0', dependencies: ['greeting-words'] })
    expect(await ended((await admin.call(modules.sendModule, { headers, body: next })).addition)).toMatchObject({
      state: 'done',
    })
    expect(await module()).toMatchObject({ version: '1.1.0', state: 'needs_review' })
    const older = await ended((await admin.call(modules.sendModule, { headers, body })).addition)
    expect(older).toMatchObject({ state: 'failed', problem: expect.stringContaining('1.0.0 is older') })
    const query = { allow_downgrade: 'true' as const }
    expect(await ended((await admin.call(modules.sendModule, { headers, body, query })).addition)).toMatchObject({
      state: 'done',
    })
    expect(await module()).toMatchObject({ version: '1.0.0' })

    await index.publish({ name: 'greeting-words', version: '1.1', files: { 'greeting_words.py': 'WORD = "hello"' } })
    const again = await ended((await admin.call(modules.sendModule, { headers, body })).addition)
    expect(again).toMatchObject({ state: 'done', problem: null })
    const changes = (await module()).review?.warnings.find(({ code }) => code === 'packages_changed')
    expect(changes?.message).toContain('greeting-words@1.1')
  }, 120_000)

  test('a bundle of uv that cannot be packed is not installed; another one is, as it is', async () => {
    const headers = { 'x-module-filename': 'own.mcpb' }
    const git = await makeUvBundle({ version: '3.0.0', dependencies: ['other @ git+https://x.example/other.git'] })
    const failed = await ended((await admin.call(modules.sendModule, { headers, body: git })).addition)
    expect(failed).toMatchObject({
      state: 'failed',
      module: null,
      problem: expect.stringContaining('“other” from elsewhere'),
    })
    const body = await makeBundle({ name: 'sent-plain' })
    const { addition } = await admin.call(modules.sendModule, { headers, body })
    expect(await ended(addition)).toMatchObject({ state: 'done', module: 'sent-plain' })
    await expect(admin.call(modules.sendModule, { headers, body: Buffer.from('no archive') })).rejects.toMatchObject({
      code: 'bad_archive',
    })
    await expect(
      admin.call(modules.sendModule, { headers: { 'x-module-filename': 'a.txt' }, body }),
    ).rejects.toMatchObject({
      code: 'bad_module_name',
    })
  }, 60_000)

  test('what fails says why and leaves no module', async () => {
    const before = (await admin.call(modules.list)).catalog.length
    const source = { kind: 'pypi' as const, name: 'nobody-has-this' }
    const { addition } = await admin.call(modules.addModule, { body: { source } })
    const failed = await ended(addition)
    expect(failed).toMatchObject({ state: 'failed', module: null })
    expect(failed.problem).toContain('nobody-has-this')
    expect((await admin.call(modules.list)).catalog).toHaveLength(before)
  }, 60_000)
})

test('with the index off nothing is asked', async () => {
  await using app = await startTestApp()
  const admin = await app.as('admin')
  expect((await admin.call(modules.additions)).python_index).toBeNull()
  const { addition } = await admin.call(modules.addModule, { body: { source: { kind: 'pypi', name: 'x' } } })
  const failed = await until(async () => {
    const [first] = (await admin.call(modules.additions)).items
    return first?.state === 'running' ? null : first
  })
  expect(failed).toMatchObject({ addition_id: addition.addition_id, state: 'failed' })
  expect(failed?.problem).toContain('REEVE_PYPI_INDEX')
  const body = await makeUvBundle({ dependencies: ['greeting-words'] })
  const installed = await admin.call(modules.install, { headers: { 'x-module-filename': 'own.mcpb' }, body })
  const hint = installed.review.warnings.find(({ code }) => code === 'uv_bundle')
  expect(hint?.message).toContain('REEVE_PYPI_INDEX')
})
