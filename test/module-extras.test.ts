import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { say } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'

const { modules } = contract

describe.each(databases)('what is added to the launch of a module on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database, env: { REEVE_LOG_LEVEL: 'error' } })
    admin = await app.as('admin')
    await install(admin, await makeBundle({ name: 'extended' }))
  })
  afterAll(() => app[Symbol.asyncDispose]())
  const params = { module_name: 'extended' }
  const enable = (extras?: { args: string[]; env: { name: string; value?: string }[] }) =>
    admin.call(modules.enable, { params, body: extras === undefined ? {} : { extras } })
  /** What the module prints of its arguments and its secret. */
  async function printed(): Promise<string> {
    const first = await say(admin, '/extended.echo {"text":"hello"}')
    const card = first.approvals[0]
    const result =
      card === undefined
        ? first
        : (
            await admin.call(contract.chat.decideApproval, {
              params: { approval_id: card.approval_id },
              body: { decision: 'approve' },
            })
          ).result
    return result?.tool_calls_executed[0]?.result_preview ?? ''
  }

  test('is agreed to by enabling, reaches it, and is shown without values', async () => {
    const secret = 'correct-horse-battery'
    const { module } = await enable({
      args: ['--colour', 'two words'],
      env: [
        { name: 'SECRET', value: secret },
        { name: 'EXTRA_REGION', value: 'north' },
      ],
    })
    expect(module).toMatchObject({
      state: 'running',
      extras: { args: ['--colour', 'two words'], env: ['EXTRA_REGION', 'SECRET'] },
    })
    const said = await printed()
    expect(said).toContain('EXTRA_REGION')
    // It repeats its secret, which is masked.
    expect(said).toContain('[secret]')
    const shown = JSON.stringify([
      await admin.call(modules.module, { params }),
      await admin.call(modules.diagnostics, { params }),
      await admin.call(contract.accounts.audit),
      await app.app.db.read.selectFrom('module').selectAll().execute(),
      await app.app.db.read.selectFrom('module_secret').selectAll().execute(),
    ])
    expect(shown).not.toContain(secret)
    expect(module.history[0]).toMatchObject({
      action: 'module.enabled',
      details: { extras: { args: ['--colour', 'two words'], env: ['EXTRA_REGION', 'SECRET'] } },
    })
  })

  test('stays where nothing is said of it, keeps values that are not given, and goes when it is left out', async () => {
    await admin.call(modules.disable, { params })
    expect((await enable()).module.extras.env).toEqual(['EXTRA_REGION', 'SECRET'])
    const { module } = await enable({ args: [], env: [{ name: 'SECRET' }] })
    expect(module).toMatchObject({ state: 'running', extras: { args: [], env: ['SECRET'] } })
    const said = await printed()
    expect(said).toContain('[secret]')
    expect(said).not.toContain('EXTRA_REGION')
    const { module: plain } = await enable({ args: [], env: [] })
    expect(plain).toMatchObject({ state: 'running', extras: { args: [], env: [] } })
    expect(await printed()).not.toContain('[secret]')
  })

  test('outlives an upgrade, which needs no new consent for it', async () => {
    await enable({ args: ['--colour'], env: [] })
    const { module } = await install(admin, await makeBundle({ name: 'extended', version: '1.1.0' }))
    expect(module).toMatchObject({ version: '1.1.0', state: 'running', extras: { args: ['--colour'] } })
  })

  test.each([
    [
      'a variable that could take over the process',
      { name: 'NODE_OPTIONS', value: '--x' },
      'NODE_OPTIONS cannot be given',
    ],
    ['one of ours', { name: 'REEVE_SECRET_KEY', value: 'x' }, 'REEVE_SECRET_KEY cannot be given'],
    ['a new one without a value', { name: 'NEW_ONE' }, 'NEW_ONE has no value yet'],
  ])('is refused with %s', async (_what, variable, said) => {
    await expect(enable({ args: [], env: [variable] })).rejects.toThrow(said)
  })

  test('is for bundles alone', async () => {
    const system = { params: { module_name: 'system' }, body: { extras: { args: ['x'], env: [] } } }
    await expect(admin.call(modules.enable, system)).rejects.toMatchObject({ code: 'not_a_bundle' })
  })
})
