import { mkdir, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { ModulePolicy } from '../contract/modules.ts'
import { openMachine } from '../server/sandbox/machine.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { openFeed } from './stage/activity-feed.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const params = { module_name: 'plain' }
const POLICY: ModulePolicy = {
  least_isolation: { trusted: 'process', untrusted: 'process' },
  memory_mib: 1024,
  signers: [],
}

describe.each(databases)('what a module may reach, on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database })
    admin = await app.as('admin')
    await install(admin, await makeBundle({ meta: { capabilities: { network: ['api.example'] } } }))
  })
  afterAll(() => app[Symbol.asyncDispose]())
  const enable = (body: object = {}) => admin.call(modules.enable, { params, body })

  test('is what it declares, unless somebody decides otherwise', async () => {
    const { module: before } = await admin.call(modules.module, { params })
    expect(before.review?.capabilities).toEqual({ network: ['api.example'], folders: [], commands: [] })
    const { module } = await enable({ grants: { network: 'none', folders: [], commands: [] } })
    expect(module).toMatchObject({ state: 'running', grants: { network: 'none' } })
    expect(module.history[0]).toMatchObject({ action: 'module.enabled', details: { grants: { network: 'none' } } })
    expect((await enable()).module.grants).toEqual({ network: ['api.example'], folders: [], commands: [] })
  })

  test('never is the data folder of Reeve, under whatever name', async () => {
    const outside = join(app.dataFolder, '..', `link-${Date.now()}`)
    await symlink(app.dataFolder, outside)
    const inside = join(app.dataFolder, 'modules/data/other')
    await mkdir(inside, { recursive: true })
    for (const path of [
      app.dataFolder,
      inside,
      outside,
      join(outside, 'modules'),
      '/',
      '/tmp',
      '/tmp/../tmp',
      'tmp',
      join(app.dataFolder, 'not/yet'),
    ]) {
      const grants = { network: 'none' as const, folders: [{ path, write: false }], commands: [] }
      const { problem } = await enable({ grants }).then(
        () => ({ problem: null }),
        (error: unknown) => error as ProblemAnswer,
      )
      expect([path, problem]).toMatchObject([
        path,
        { status: 422, code: 'invalid_request', errors: [{ path: 'grants.folders.0.path' }] },
      ])
    }
    await unlink(outside)
  })

  test('is agreed to for the version that was reviewed, and no other', async () => {
    const { module } = await admin.call(modules.module, { params })
    const digest = module.versions[0]!.digest
    await install(admin, await makeBundle({ version: '2.0.0', meta: { capabilities: { network: 'any' } } }))
    expect((await admin.call(modules.module, { params })).module.state).toBe('needs_review')
    await expect(enable({ digest })).rejects.toMatchObject({ status: 409, code: 'module_changed' })
    expect((await enable()).module).toMatchObject({ state: 'running', grants: { network: 'any' } })
  })

  test('the policy tells what this machine can do, and is kept', async () => {
    const { policy, isolation } = await admin.call(modules.policy)
    expect(policy).toEqual(POLICY)
    expect(isolation.map(({ reason }) => reason)).toEqual(isolation.map(() => expect.stringMatching(/\w/)))
    const stricter = { ...POLICY, memory_mib: 512, signers: [{ fingerprint: 'a'.repeat(64), name: 'Somebody' }] }
    expect((await admin.call(modules.savePolicy, { body: stricter })).policy).toEqual(stricter)
    expect((await admin.call(modules.policy)).policy).toEqual(stricter)
    const { module } = await admin.call(modules.diagnostics, { params })
    expect(module.limits.memory).toBe(512 * 1024 * 1024)
  })

  test('a change is told to administrators, and to nobody else', async () => {
    const [theirs, hers] = [await openFeed(admin), await openFeed(await app.as('ann'))]
    await admin.call(modules.disable, { params })
    // Built-in modules that come up meanwhile tell of it as well.
    await theirs.find(({ type, module }) => type === 'module.changed' && module === 'plain')
    expect(hers.events.filter(({ type }) => type === 'module.changed')).toEqual([])
    await theirs[Symbol.asyncDispose]()
    await hers[Symbol.asyncDispose]()
  })
})

test(
  'a machine that cannot isolate as the policy wants does not run the module, and says why',
  { timeout: 120_000 },
  async () => {
    const machine = openMachine({ node: process.execPath, bwrap: '/nonexistent' })
    await using weak = await startTestApp({ machine })
    const admin = await weak.as('admin')
    await install(admin, await makeBundle())
    const { module } = await admin.call(modules.enable, { params, body: {} })
    expect(module.isolation.level).not.toBe('isolated')
    const strict = { ...POLICY, least_isolation: { trusted: 'process', untrusted: 'isolated' } as const }
    await admin.call(modules.savePolicy, { body: strict })
    const stopped = (await admin.call(modules.module, { params })).module
    expect(stopped).toMatchObject({
      state: 'needs_review',
      problem: expect.stringContaining('wants untrusted modules at least isolated'),
    })
    await until(async () => (await admin.call(modules.diagnostics, { params })).module.process === null, {
      what: 'it is stopped',
    })
    await expect(admin.call(modules.enable, { params, body: {} })).rejects.toMatchObject({
      status: 409,
      code: 'isolation_too_weak',
    })
    await admin.call(modules.savePolicy, { body: POLICY })
    await until(async () => (await admin.call(modules.module, { params })).module.state === 'running', {
      what: 'it runs again',
    })
  },
)

describe.runIf(databases.some(({ name }) => name === 'postgres'))('two processes on one database', () => {
  test('what is changed in one is followed by the other', { timeout: 120_000 }, async () => {
    const url = await createDatabase()
    const database = { name: 'postgres' as const, url: () => Promise.resolve(url) }
    const env = { REEVE_SECRET_KEY: 'ab'.repeat(32) }
    await using a = await startProcess({ database, env })
    const onA = await a.as('admin')
    await using b = await startProcess({ database, env })
    const onB = await b.signIn('admin')
    await install(onA, await makeBundle())
    await onA.call(modules.enable, { params, body: {} })
    const seen = async () => (await onB.call(modules.list)).catalog.find(({ name }) => name === 'plain')
    // Its package is in the data folder of the other one.
    const there = await until(seen, { what: 'the other process knows the module' })
    expect(there).toMatchObject({ version: '1.0.0', kind: 'bundle' })
    const same = await Promise.allSettled([
      install(onA, await makeBundle({ version: '2.0.0' })),
      install(onB, await makeBundle({ version: '2.0.0' })),
    ])
    expect(same.map(({ status }) => status)).toContain('fulfilled')
    await until(async () => (await seen())?.version === '2.0.0', { what: 'both have the new version' })
    await onB.call(modules.disable, { params })
    await until(async () => (await onA.call(modules.module, { params })).module.state === 'disabled', {
      what: 'it is disabled in both',
    })
  })
})
