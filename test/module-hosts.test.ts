import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { isolationWorks } from './stage/modules/sandbox-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract

describe.skipIf(!isolationWorks).each(databases)('the host in a setting of a module on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database, env: { REEVE_LOG_LEVEL: 'error' } })
    admin = await app.as('admin')
  })
  afterAll(() => app[Symbol.asyncDispose]())
  const params = { module_name: 'dashboards' }
  const isolation = async () => {
    const { module } = await admin.call(modules.module, { params })
    return module.state === 'running' ? module.isolation.reason : ''
  }
  const save = (values: Record<string, string>) => admin.call(modules.saveSettings, { params, body: { values } })

  test('is granted by naming the setting, and follows it without another consent', async () => {
    const text = { type: 'string', description: '', required: false }
    await install(
      admin,
      await makeBundle({
        name: 'dashboards',
        user_config: {
          url: { ...text, title: 'Address', default: 'https://dashboards.example.com' },
          database: { ...text, title: 'Database', sensitive: true },
        },
        env: { URL: '${user_config.url}', DATABASE: '${user_config.database}' },
        meta: { capabilities: { network: ['${user_config.url}', '${user_config.database}'] } },
      }),
    )
    const { module } = await admin.call(modules.enable, { params, body: {} })
    expect(module).toMatchObject({
      state: 'running',
      grants: { network: ['${user_config.url}', '${user_config.database}'] },
    })
    // A default is nobody's word that a private network may be reached.
    expect(await isolation()).toContain('the network only to dashboards.example.com, ${user_config.database}.')

    await save({ url: 'http://dashboards.lan:3000/', database: 'postgres://me:hidden-word@db.lan/x' })
    // What a sealed setting names is said by the setting alone.
    await until(async () => (await isolation()).includes('private:dashboards.lan:3000, ${user_config.database}'))
    const shown = JSON.stringify(await admin.call(modules.module, { params }))
    expect(shown).not.toContain('hidden-word')
    expect(shown).not.toContain('db.lan')

    await save({ url: 'https://elsewhere.example.com' })
    await until(async () => (await isolation()).includes('private:elsewhere.example.com, ${user_config.database}'))
  })
})
