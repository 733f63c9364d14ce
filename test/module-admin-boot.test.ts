import { chmod, mkdir, readdir, rm, symlink, writeFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const params = { module_name: 'plain' }

async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return state !== '' && !state.includes(') Z ')
}

describe.each(databases)('after a service that was killed, on $name', (database) => {
  test(
    'modules run again, leftovers are gone, and what is missing is unpacked again',
    { timeout: 120_000 },
    async () => {
      await using service = await startProcess({ database })
      const admin = await service.as('admin')
      await install(admin, await makeBundle())
      const { module } = await admin.call(modules.enable, { params, body: {} })
      const { pid } = (await admin.call(modules.diagnostics, { params })).module.process!
      const root = join(service.dataFolder, 'modules')
      const { digest } = module.versions[0]!

      await service.kill()
      await until(async () => !(await isAlive(pid)), { what: 'the module is gone with its service' })
      // A tree that somebody removed, and what an installation leaves that was cut off at each of its steps.
      await removeAll(join(root, 'unpacked', digest))
      const stray = 'f'.repeat(64)
      await mkdir(join(root, 'staging/0123456789abcdef/tree'), { recursive: true })
      await writeFile(join(root, 'staging/0123456789abcdef/bundle'), 'half')
      await mkdir(join(root, 'unpacked', stray))
      await writeFile(join(root, 'unpacked', stray, 'server.mjs'), '')
      await chmod(join(root, 'unpacked', stray), 0o555)

      await service.restart()
      const running = await until(
        async () => {
          const found = (await admin.call(modules.diagnostics, { params })).module
          return found.state === 'running' ? found : undefined
        },
        { what: 'the module runs again' },
      )
      expect(running.integrity).toMatchObject({ checked: 2, modified: [], missing: [], added: [] })
      expect(await readdir(join(root, 'unpacked'))).toContain(digest)
      if (database.name === 'sqlite') {
        // Nobody else can be about to write rows for them.
        expect(await readdir(join(root, 'unpacked'))).toEqual([digest])
        expect(await readdir(join(root, 'staging'))).toEqual([])
      }
    },
  )
})

test(
  'a service that is killed while it installs has the old version or the new one afterwards',
  { timeout: 120_000 },
  async () => {
    await using service = await startProcess()
    const admin = await service.as('admin')
    await install(admin, await makeBundle({ version: '1.0.0' }))
    await admin.call(modules.enable, { params, body: {} })
    const root = join(service.dataFolder, 'modules')
    const count = async (folder: string) => (await readdir(join(root, folder)).catch(() => [])).length
    const filler = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}.txt`, `${i}`.repeat(5000)]))
    let current = '1.0.0'
    // Killed while it is unpacked, once it is in place, and once the row may be there.
    for (const [index, moment] of (['staging', 'unpacked', 'answered'] as const).entries()) {
      const version = `2.${index}.0`
      const before = await count('unpacked')
      const bundle = await makeBundle({ version, files: filler })
      let answered = false
      const answer = install(admin, bundle).then(
        () => (answered = true),
        () => false,
      )
      await until(
        async () =>
          answered ||
          (moment === 'staging'
            ? (await count('staging')) > 0
            : moment === 'unpacked' && (await count('unpacked')) > before),
        { what: `it is ${moment}` },
      )
      await service.kill()
      const done = await answer
      await service.restart()
      const module = await until(
        async () => {
          const found = (await admin.call(modules.module, { params })).module
          return found.state === 'running' ? found : undefined
        },
        { what: 'it runs again' },
      )
      expect(done ? [version] : [current, version]).toContain(module.version)
      current = module.version
      expect((await readdir(join(root, 'unpacked'))).sort()).toEqual(module.versions.map(({ digest }) => digest).sort())
      expect(await readdir(join(root, 'staging'))).toEqual([])
    }
  },
)

async function removeAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  await rm(folder, { recursive: true })
}

describe('files of a module', () => {
  async function stage(): Promise<{ app: TestApp; admin: TestClient; tree: string }> {
    const app = await startTestApp()
    const admin = await app.as('admin')
    const { module } = await install(admin, await makeBundle())
    return { app, admin, tree: join(app.dataFolder, 'modules/unpacked', module.versions[0]!.digest) }
  }

  test('that were changed are never started; repairing unpacks them again', async () => {
    const { app, admin, tree } = await stage()
    await using _ = app
    const file = join(tree, 'server.mjs')
    const original = await readFile(file)
    await chmod(file, 0o644)
    await writeFile(file, 'process.exit(0)')
    await expect(admin.call(modules.enable, { params, body: {} })).rejects.toMatchObject({
      code: 'module_start_failed',
    })
    const { module } = await admin.call(modules.diagnostics, { params })
    expect(module.integrity).toEqual({ checked: 2, modified: ['server.mjs'], missing: [], added: [] })
    const { health } = await admin.call(modules.health, { params })
    expect(health.checks).toContainEqual(
      expect.objectContaining({ name: 'files', status: 'unhealthy', fix: expect.any(String) }),
    )
    await admin.call(modules.repair, { params })
    expect(await readFile(file)).toEqual(original)
    expect((await admin.call(modules.enable, { params, body: {} })).module.state).toBe('running')
  })

  test('that change while it runs stop its next start, and the state says so', async () => {
    const { app, admin, tree } = await stage()
    await using _ = app
    await admin.call(modules.enable, { params, body: {} })
    const { pid } = (await admin.call(modules.diagnostics, { params })).module.process!
    await chmod(tree, 0o755)
    await symlink('/etc/passwd', join(tree, 'planted'))
    await endModule(pid)
    const state = await until(
      async () => {
        const { module } = await admin.call(modules.module, { params })
        return module.state === 'needs_review' ? module : undefined
      },
      { what: 'the module waits for a review' },
    )
    expect(state.problem).toContain('Repair')
    const { module } = await admin.call(modules.repair, { params })
    expect(module).toMatchObject({ state: 'running', enabled: true })
  })

  test('whose package is gone too cannot be repaired, and it says so', async () => {
    const { app, admin, tree } = await stage()
    await using _ = app
    const digest = tree.slice(-64)
    await removeAll(tree)
    const packages = join(app.dataFolder, 'modules/packages')
    const names = await readdir(packages, { recursive: true })
    await rm(
      join(
        packages,
        names.find((name) => name.includes(digest))!,
      ),
    )
    await expect(admin.call(modules.repair, { params })).rejects.toMatchObject({ code: 'module_package_missing' })
    await expect(admin.call(modules.enable, { params, body: {} })).rejects.toMatchObject({
      code: 'module_start_failed',
    })
    const gone = await admin.call(modules.uninstall, { params, body: {} })
    expect(gone).toMatchObject({ backup: null, removed: ['version 1.0.0'] })
  })

  test('in its data folder stay after uninstalling unless asked for; links are not followed', async () => {
    const { app, admin } = await stage()
    await using _ = app
    await admin.call(modules.enable, { params, body: {} })
    const data = join(app.dataFolder, 'modules/data/plain')
    const outside = join(app.dataFolder, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'precious'), 'x')
    await symlink(outside, join(data, 'link'))
    await writeFile(join(data, 'notes'), 'x')
    const kept = await admin.call(modules.uninstall, { params, body: {} })
    expect(kept.kept).toContain('data folder')
    expect(await readdir(data)).toEqual(expect.arrayContaining(['link', 'notes']))
    await install(admin, await makeBundle())
    const removed = await admin.call(modules.uninstall, { params, body: { delete_data: true } })
    expect(removed.removed).toContain('data folder')
    expect(await readdir(join(app.dataFolder, 'modules/data'))).toEqual([])
    expect(await readdir(outside)).toEqual(['precious'])

    // A folder that was itself replaced by a link is left behind as what it is.
    await install(admin, await makeBundle())
    await symlink(outside, data)
    await expect(admin.call(modules.enable, { params, body: {} })).rejects.toMatchObject({
      code: 'module_start_failed',
    })
    await admin.call(modules.uninstall, { params, body: { delete_data: true } })
    expect(await readdir(outside)).toEqual(['precious'])
  })
})

/** Ends the process of a module that this test made the service start. */
async function endModule(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await until(async () => !(await isAlive(pid)), { what: 'the module is gone' })
}
