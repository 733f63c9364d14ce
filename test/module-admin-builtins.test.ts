import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpModule } from '../builtin/http/module.ts'
import { contract } from '../contract/index.ts'
import { packFolder } from '../server/modules/bundle/archive/pack-folder.ts'
import { unpackBundle } from '../server/modules/bundle/archive/unpack-bundle.ts'
import { removeTree } from '../server/modules/bundle/archive/remove-tree.ts'
import { askingModule } from './stage/modules/asking-module.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { install } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const http = { params: { module_name: 'http' } }
const SECRET = 'api.example: Authorization: Bearer abc123canary'

describe.each(databases)('built-in modules on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  let folder: string
  beforeAll(async () => {
    stage = await openStage(database, { builtins: [httpModule, askingModule] })
    admin = await stage.as('admin')
    folder = await mkdtemp(join(tmpdir(), 'reeve-backup-'))
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await removeTree(folder)
  })
  const names = async () => (await admin.call(modules.list)).catalog.map(({ name }) => name)
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => (error as ProblemAnswer).code,
    )
  let backup: Buffer

  test('are in the list with how they are kept apart, and have settings', async () => {
    const entry = await until(
      async () =>
        (await admin.call(modules.list)).catalog.find(({ name, state }) => name === 'http' && state === 'running'),
      { what: 'the HTTP module runs' },
    )
    expect(entry).toMatchObject({
      builtin: true,
      kind: 'builtin',
      state: 'running',
      isolation: { level: 'builtin' },
    })
    const { settings } = await admin.call(modules.saveSettings, {
      ...http,
      body: { values: { headers: SECRET, timeout_s: 12 } },
    })
    expect(settings.values).toMatchObject({ headers: { configured: true }, timeout_s: 12 })
    const { module } = await admin.call(modules.module, http)
    expect(module).toMatchObject({ review: null, versions: [], enabled: true })
    expect((await admin.call(modules.health, http)).health.checks.map(({ name }) => name)).toContain('settings')
  })

  test('are not uninstalled like a bundle, and a bundle not like them', async () => {
    expect(await refusal(admin.call(modules.uninstall, { ...http, body: {} }))).toBe('module_is_builtin')
    const nothing = { params: { module_name: 'nothing' } }
    expect(await refusal(admin.call(modules.uninstallBuiltin, nothing))).toBe('not_found')
    expect(await refusal(admin.call(modules.restoreBuiltin, nothing))).toBe('not_found')
    expect(await refusal(admin.call(modules.restoreBuiltin, http))).toBe('module_not_removed')
  })

  test('stay when their backup cannot be written', async () => {
    // It has no folder of its own, so there is nothing to pack.
    expect(await refusal(admin.call(modules.uninstallBuiltin, { params: { module_name: 'asker' } }))).toBe(
      'backup_failed',
    )
    expect(await names()).toContain('asker')
  })

  test('leave a bundle that brings them back with their settings', async () => {
    const answer = await admin.call(modules.uninstallBuiltin, http)
    expect(answer).toMatchObject({ ok: true, id: 'http', restart_required: false })
    expect(await names()).not.toContain('http')
    expect(await refusal(admin.call(modules.module, http))).toBe('not_found')
    expect(await refusal(admin.call(modules.uninstallBuiltin, http))).toBe('module_removed')
    const { items } = await admin.call(modules.removed)
    expect(items).toMatchObject([{ name: 'http', builtin: true, backup: answer.backup }])
    const file = await admin.call(modules.backup, { params: { backup: answer.backup } })
    backup = Buffer.from(await file.arrayBuffer())
    for (const form of [SECRET, Buffer.from(SECRET).toString('base64')]) expect(backup.includes(form)).toBe(false)

    const restored = await install(admin, backup)
    expect(restored.module).toMatchObject({ name: 'http', builtin: true, enabled: true })
    const { settings } = await admin.call(modules.settings, http)
    expect(settings.values).toMatchObject({ headers: { configured: true }, timeout_s: 12 })
    expect(await refusal(install(admin, backup))).toBe('name_of_builtin')
  })

  test('come back by a click, too', async () => {
    await admin.call(modules.uninstallBuiltin, http)
    const { module } = await admin.call(modules.restoreBuiltin, http)
    expect(module.history.slice(0, 2).map(({ action }) => action)).toEqual(['module.restored', 'module.uninstalled'])
    expect((await admin.call(modules.settings, http)).settings.values).toMatchObject({ headers: { configured: true } })
  })

  test('are not replaced by a backup that somebody else wrote', async () => {
    await admin.call(modules.uninstallBuiltin, http)
    const packed = join(folder, 'backup.mcpb')
    const tree = join(folder, 'tree')
    await writeFile(packed, backup)
    await mkdir(tree)
    const { manifest } = await unpackBundle(packed, tree)
    const own = manifest._meta?.['dev.reeve.backup'] as Record<string, unknown>
    for (const [index, forged] of [{ ...own, settings: { timeout_s: 1 } }, { ...own, mac: 'x' }, {}, null].entries()) {
      const content = join(folder, `forged-${index}`)
      await mkdir(content)
      await writeFile(
        join(content, 'manifest.json'),
        JSON.stringify({ ...manifest, _meta: { 'dev.reeve.backup': forged } }),
      )
      await writeFile(join(content, 'module.ts'), '')
      const out = join(folder, `forged-${index}.mcpb`)
      await packFolder(content, out)
      expect(await refusal(install(admin, await readFile(out)))).toBe('name_of_builtin')
      await rm(content, { recursive: true })
    }
    expect(await names()).not.toContain('http')
    await install(admin, backup)
  })

  test('can be disabled, but the last one stays', async () => {
    const { catalog } = await admin.call(modules.list)
    for (const { name } of catalog.filter(({ name }) => name !== 'system')) {
      expect((await admin.call(modules.disable, { params: { module_name: name } })).module.state).toBe('disabled')
    }
    const system = { params: { module_name: 'system' } }
    expect(await refusal(admin.call(modules.disable, system))).toBe('last_module')
    for (const { name } of catalog.filter(({ name, builtin }) => builtin && name !== 'system' && name !== 'asker')) {
      await admin.call(modules.uninstallBuiltin, { params: { module_name: name } })
    }
    expect(await names()).toEqual(['asker', 'system'])
    const { module } = await admin.call(modules.enable, { params: { module_name: 'asker' }, body: {} })
    expect(module.state).toBe('running')
  })
})
