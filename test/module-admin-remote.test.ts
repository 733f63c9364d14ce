import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { mcp, serve } from './stage/servers/remote-server.ts'

const { modules } = contract
const params = { module_name: 'far' }
const TOKEN = 'far-away-token'

describe.each(databases)('other kinds of modules on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database })
    admin = await app.as('admin')
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test('a remote one is added, enabled, asked and removed like any other', async () => {
    await using server = await serve(mcp())
    await admin.call(modules.addRemote, { body: { name: 'far', url: server.url, token: TOKEN, allow_private: true } })
    expect(server.seen).toEqual([])
    const { module } = await admin.call(modules.enable, { params, body: {} })
    expect(module).toMatchObject({
      kind: 'remote',
      state: 'running',
      isolation: { level: 'remote' },
      review: null,
      tools: [{ name: 'hello', pin: 'agreed' }],
    })
    expect(new Set(server.seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${TOKEN}`]))
    const { health } = await admin.call(modules.health, { params })
    expect(health).toMatchObject({ status: 'healthy' })
    const { module: found } = await admin.call(modules.diagnostics, { params })
    expect(found).toMatchObject({ process: null, settings: { token: { configured: true } } })
    expect(JSON.stringify([health, found])).not.toContain(TOKEN)
    await admin.call(modules.saveSettings, { params, body: { clear_fields: ['token'] } })
    const { settings } = await admin.call(modules.settings, { params })
    const unset = { configured: false, updated_at: null }
    expect(settings.values).toEqual({ token: unset, headers: unset, client_secret: unset })
    const gone = await admin.call(modules.uninstall, { params, body: {} })
    expect(gone).toMatchObject({ backup: null, removed: ['agreements to tools'] })
  })

  test('headers of one’s own are checked, sent with each request, and never shown again', async () => {
    await using server = await serve(mcp())
    const add = (headers: string) =>
      admin.call(modules.addRemote, { body: { name: 'far', url: server.url, allow_private: true, headers } })
    await expect(add('Host: elsewhere')).rejects.toMatchObject({
      code: 'invalid_request',
      problem: { errors: [{ path: 'headers', message: 'Reeve sets the header Host itself.' }] },
    })
    const added = await add('X-Key: far-away-key')
    expect(JSON.stringify(added)).not.toContain('far-away-key')
    const save = (headers: string) => admin.call(modules.saveSettings, { params, body: { values: { headers } } })
    await expect(save('Host: elsewhere')).rejects.toMatchObject({
      code: 'invalid_request',
      problem: { errors: [{ path: 'values.headers', message: 'Reeve sets the header Host itself.' }] },
    })
    await admin.call(modules.enable, { params, body: {} })
    expect(new Set(server.seen.map(({ headers }) => headers['x-key']))).toEqual(new Set(['far-away-key']))
    await save('X-Key: far-away-key\nX-Team: blue')
    server.seen.length = 0
    await admin.call(modules.health, { params })
    expect(server.seen.length).toBeGreaterThan(0)
    for (const { headers } of server.seen) expect(headers).toMatchObject({ 'x-key': 'far-away-key', 'x-team': 'blue' })
    const shown = [
      await admin.call(modules.settings, { params }),
      await admin.call(modules.module, { params }),
      await admin.call(modules.diagnostics, { params }),
    ]
    expect(JSON.stringify(shown)).not.toContain('far-away-key')
    await admin.call(modules.uninstall, { params, body: {} })
  })

  test('a remote one in a private network does not come up unless that was allowed', async () => {
    await using server = await serve(mcp())
    await admin.call(modules.addRemote, { body: { name: 'far', url: server.url } })
    await expect(admin.call(modules.enable, { params, body: {} })).rejects.toMatchObject({
      status: 503,
      code: 'module_start_failed',
    })
    expect((await admin.call(modules.module, { params })).module).toMatchObject({ state: 'disabled', enabled: false })
    expect(server.seen).toEqual([])
  })

  test('a health check of the module’s own is asked, and repeats no secret', async () => {
    const key = { type: 'string', title: 'Key', description: 'A secret', sensitive: true }
    const bundle = await makeBundle({
      meta: { health: { tool: 'echo' } },
      user_config: { key },
      env: { SECRET: '${user_config.key}' },
    })
    await install(admin, bundle)
    const plain = { params: { module_name: 'plain' } }
    await admin.call(modules.saveSettings, { ...plain, body: { values: { key: 'canary-of-health' } } })
    expect((await admin.call(modules.health, plain)).health.status).toBe('disabled')
    await admin.call(modules.enable, { ...plain, body: {} })
    const { health } = await admin.call(modules.health, plain)
    const own = health.checks.find(({ name }) => name === 'own check')
    expect(own).toMatchObject({ status: 'healthy', message: expect.stringMatching(/^echo: .*\[secret\]$/) })
    // Nothing of the service's own environment reaches it.
    expect(own?.message).not.toMatch(/REEVE_|NODE_ENV|VITEST/)
  })
})
