import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { ProblemAnswer, type TestClient } from './stage/client.ts'
import { databaseContent } from './stage/databases/database-content.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const CANARY = 'k4n4ry/"sécret$& +value'
/** As it could stand in an answer, a log or a file. */
const FORMS = [
  CANARY,
  JSON.stringify(CANARY).slice(1, -1),
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString('base64'),
  Buffer.from(CANARY).toString('base64url'),
  Buffer.from(CANARY).toString('hex'),
]
const params = { module_name: 'plain' }
const USER_CONFIG = {
  key: { type: 'string', title: 'Key', description: 'A secret', required: true, sensitive: true },
  spare: { type: 'string', title: 'Spare', description: 'Another secret', sensitive: true },
  region: { type: 'string', title: 'Region', description: 'Where', required: true },
  limit: { type: 'number', title: 'Limit', description: 'How many', min: 1, max: 10, default: 5 },
  folders: { type: 'directory', title: 'Folders', description: 'What to read', multiple: true },
}
const ENV = {
  SECRET: '${user_config.key}',
  REGION: '${user_config.region}',
  LIMIT: '${user_config.limit}',
  SAY: 'I was given ${user_config.key}',
}

describe.each(databases)('settings on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database })
    admin = await app.as('admin')
    await install(admin, await makeBundle({ user_config: USER_CONFIG, env: ENV }))
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const put = (body: { values?: Record<string, never>; clear_fields?: string[] } | object) =>
    admin.call(modules.saveSettings, { params, body })
  async function refused(body: object): Promise<string[]> {
    const error = await put(body).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ProblemAnswer)
    const { problem, status } = error as ProblemAnswer
    expect([status, problem.code]).toEqual([422, 'invalid_request'])
    return (problem.errors ?? []).map(({ path }) => path)
  }

  /** That modules came up is told to administrators whenever it happens. */
  async function content() {
    const { event: _, ...rows } = await databaseContent(app.app.db)
    return rows
  }

  test('a module that needs settings says so, and does not start without them', async () => {
    const { module } = await admin.call(modules.module, { params })
    expect(module).toMatchObject({ state: 'needs_configuration', problem: expect.stringContaining('Key, Region') })
    await expect(admin.call(modules.enable, { params, body: {} })).rejects.toMatchObject({
      status: 503,
      code: 'module_start_failed',
    })
    const { settings } = await admin.call(modules.settings, { params })
    expect(settings.fields.map(({ key }) => key).sort()).toEqual(['folders', 'key', 'limit', 'region', 'spare'])
    expect(settings.values).toEqual({
      key: { configured: false, updated_at: null },
      spare: { configured: false, updated_at: null },
    })
  })

  test('what is wrong is told all at once, and nothing is changed', async () => {
    const before = await content()
    expect(await refused({ values: { unknown: 1, limit: 11, region: '' }, clear_fields: ['key', 'nothing'] })).toEqual(
      expect.arrayContaining(['values.unknown', 'values.limit', 'values.region', 'clear_fields.0', 'clear_fields.1']),
    )
    expect(await refused({ values: { region: 'a' }, clear_fields: ['region'] })).toEqual(
      expect.arrayContaining(['values.region']),
    )
    for (const values of [
      { limit: 'many' },
      { limit: true },
      { region: 5 },
      { region: ['a'] },
      { region: 'a\0b' },
      { folders: 'x' },
      { folders: ['relative'] },
      { folders: ['/srv/../etc'] },
      { folders: [app.dataFolder] },
      { folders: [join(app.dataFolder, 'modules')] },
      { folders: ['/'] },
      { key: 5 },
      { command: 'sh' },
      { __dirname: '/' },
      { 'server.mcp_config.command': 'sh' },
    ]) {
      expect([values, await refused({ values })]).toEqual([values, [expect.stringMatching(/^values\./)]])
    }
    expect(await content()).toEqual(before)
  })

  test('a secret is written and never given back', async () => {
    const { settings, restart_required } = await put({ values: { key: CANARY, region: 'here', limit: 7 } })
    expect(restart_required).toBe(false)
    expect(settings.values).toMatchObject({ key: { configured: true }, region: 'here', limit: 7 })
    const { module } = await admin.call(modules.enable, { params, body: {} })
    expect(module).toMatchObject({ state: 'running', log: [expect.stringMatching(/^I was given \[secret\]/)] })
    expect(module.tools[0]!.description).toBe('echo with [secret]')
    for (const route of [modules.list, modules.module, modules.settings, modules.health, modules.diagnostics]) {
      const text = JSON.stringify(await admin.call(route as typeof modules.module, { params }))
      for (const form of FORMS) expect([route.path, form, text.includes(form)]).toEqual([route.path, form, false])
    }
    const audit = JSON.stringify(await admin.call(contract.accounts.audit, { query: { limit: 50 } }))
    expect(audit).toContain('module.settings_changed')
    const rows = JSON.stringify(await databaseContent(app.app.db))
    for (const form of FORMS) expect([form, audit.includes(form), rows.includes(form)]).toEqual([form, false, false])
  })

  test('is on no disk in clear', async () => {
    const found: string[] = []
    for (const entry of await readdir(app.dataFolder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const content = await readFile(join(entry.parentPath, entry.name))
      if (FORMS.some((form) => content.includes(form))) found.push(entry.name)
    }
    expect(found).toEqual([])
  })

  test('a change is applied to the running module at once', async () => {
    const before = await admin.call(modules.diagnostics, { params })
    await put({ values: { region: 'there' } })
    const after = await until(
      async () => {
        const { module } = await admin.call(modules.diagnostics, { params })
        return module.state === 'running' && module.process?.pid !== before.module.process?.pid ? module : undefined
      },
      { what: 'the module runs with the new setting' },
    )
    expect(after.process).not.toBeNull()
    expect(after.restarts).toBe(0)
  })

  test('what is optional can be cleared, what is required cannot', async () => {
    await put({ values: { spare: 'another' } })
    const { settings } = await put({ clear_fields: ['spare', 'limit'] })
    expect(settings.values).toMatchObject({ spare: { configured: false }, key: { configured: true } })
    expect(settings.values).not.toHaveProperty('limit')
    expect(await refused({ clear_fields: ['key'] })).toEqual(['clear_fields.0'])
  })

  test('an upgrade carries settings over and tells what it does not take; going back has them again', async () => {
    const { region: _, ...others } = USER_CONFIG
    const user_config = { ...others, limit: { type: 'string', title: 'Limit', description: 'As text' } }
    await put({ values: { limit: 3 } })
    const answer = await install(admin, await makeBundle({ version: '2.0.0', user_config, env: ENV }))
    expect(answer.review.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['setting_dropped', 'setting_retyped']),
    )
    const { settings } = await admin.call(modules.settings, { params })
    expect(settings.values).toMatchObject({ key: { configured: true } })
    expect(settings.values).not.toHaveProperty('limit')
    await admin.call(modules.rollback, { params, body: {} })
    expect((await admin.call(modules.settings, { params })).settings.values).toMatchObject({
      region: 'there',
      limit: 3,
    })
  })

  test('a start that fails shows its last lines without the secret', async () => {
    await install(
      admin,
      await makeBundle({ name: 'broken', user_config: USER_CONFIG, env: { ...ENV, CRASH: 'no disk' } }),
    )
    const broken = { params: { module_name: 'broken' } }
    await admin.call(modules.saveSettings, { ...broken, body: { values: { key: CANARY, region: 'x' } } })
    const error = await admin
      .call(modules.enable, { ...broken, body: {} })
      .catch((caught: unknown) => caught as ProblemAnswer)
    expect(error).toMatchObject({ status: 503, code: 'module_start_failed' })
    const { detail } = (error as ProblemAnswer).problem
    expect(detail).toContain('It cannot go on: no disk [secret]')
    for (const form of FORMS) expect([form, detail.includes(form)]).toEqual([form, false])
    const { module } = await admin.call(modules.module, broken)
    expect(module).toMatchObject({ enabled: false, state: 'disabled', history: [{ outcome: 'failed' }, {}, {}] })
  })

  test('nobody but an administrator reads or changes them', async () => {
    const ann = await app.as('ann')
    await expect(ann.call(modules.settings, { params })).rejects.toMatchObject({ status: 403 })
    await expect(ann.call(modules.saveSettings, { params, body: {} })).rejects.toMatchObject({ status: 403 })
  })
})

test('the log tells no secret', async () => {
  await using service = await startProcess({ env: { REEVE_LOG_LEVEL: 'debug' } })
  const admin = await service.as('admin')
  await install(admin, await makeBundle({ user_config: USER_CONFIG, env: { ...ENV, CRASH: 'badly' } }))
  await admin.call(modules.saveSettings, { params, body: { values: { key: CANARY, region: 'x', limit: 2 } } })
  await expect(admin.call(modules.enable, { params, body: {} })).rejects.toMatchObject({ code: 'module_start_failed' })
  await expect(
    admin.call(modules.saveSettings, { params, body: { values: { key: `${CANARY}\0`, limit: CANARY } } }),
  ).rejects.toMatchObject({ code: 'invalid_request' })
  await service.kill('SIGTERM')
  const log = JSON.stringify(service.log)
  expect(log).toContain('It exited by itself with code 3')
  for (const form of FORMS)
    expect([form, log.includes(form), log.includes(JSON.stringify(form).slice(1, -1))]).toEqual([form, false, false])
})
