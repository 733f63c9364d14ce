import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { contract } from '../contract/index.ts'
import { moduleKey } from '../server/db/running-calls.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { openHeldCall } from './stage/modules/held-call.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import {
  forgetTrees,
  moduleNames,
  openSharedStage,
  seenBy,
  type SharedMember,
  type SharedStage,
} from './stage/shared-stage.ts'
import type { Fate } from './stage/servers/store-proxy.ts'
import { until } from './stage/wait.ts'

const { files, modules } = contract
/** A kill costs a start. REEVE_KILLS=all: at every request to the store, before and after it has been done. */
const KILLS = process.env['REEVE_KILLS'] === 'all' ? Infinity : 1
const plain = { params: { module_name: 'plain' } }
const http = { params: { module_name: 'http' } }

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => (error as ProblemAnswer).code,
  )
const upload = (client: TestClient, text: string) =>
  client.call(files.upload, { headers: { 'x-file-name': 'a.txt' }, body: text })
const download = async (client: TestClient, file_id: string) =>
  (await client.call(files.download, { params: { file_id } })).text()

describe.runIf(databases.some(({ name }) => name === 'postgres'))('objects of two processes', () => {
  let stage: SharedStage
  let a: SharedMember
  let b: SharedMember
  beforeAll(async () => {
    stage = await openSharedStage()
    ;({ a, b } = stage)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function expectRepairable(): Promise<void> {
    await stage.sweep()
    for (const member of [a, b]) {
      await forgetTrees(member)
      await member.admin.call(modules.repair, plain)
    }
  }

  test('a bundle installed on one while the other uninstalls it keeps its package', async () => {
    const bundle = await makeBundle()
    await install(a.admin, bundle)
    await seenBy(b, 'plain', true)
    // Were an object removed in the course of a request, it would be now: after the other has stored it again.
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => (letGo = resolve))
    a.store.meet = async ({ method }): Promise<Fate> => {
      if (method === 'DELETE') await held
      return 'pass'
    }
    const uninstalled = a.admin.call(modules.uninstall, { ...plain, body: {} })
    await seenBy(b, 'plain', false)
    await install(b.admin, bundle)
    letGo()
    await uninstalled
    a.store.meet = () => 'pass'
    await seenBy(a, 'plain', true)
    await expectRepairable()
    expect(await stage.objects('packages')).toHaveLength(2)
  })

  test(
    'whatever order two processes come in, the package of what is installed stays',
    { timeout: 60_000 },
    async () => {
      const bundle = await makeBundle()
      for (let round = 0; round < 5; round++) {
        const [one, other] = round % 2 === 0 ? [a, b] : [b, a]
        await Promise.all([
          refusal(one.admin.call(modules.uninstall, { ...plain, body: {} })),
          refusal(install(other.admin, bundle)),
          refusal(install(one.admin, bundle)),
        ])
        await stage.sweep()
      }
      await refusal(install(a.admin, bundle))
      await seenBy(b, 'plain', true)
      await seenBy(a, 'plain', true)
      await expectRepairable()
      // One for the version, one for each backup, and nothing else.
      const { items } = await a.admin.call(modules.removed)
      expect(items.filter(({ name }) => name === 'plain')).toEqual([])
      const backups = await stage.db.read.selectFrom('module_backup').select('stored_as').execute()
      const named = new Set(backups.map(({ stored_as }) => stored_as))
      const versions = await stage.db.read.selectFrom('module_version').select('stored_as').execute()
      for (const { stored_as } of versions) named.add(stored_as!)
      expect(await stage.objects('packages')).toEqual([...named].sort())
    },
  )

  const hold = () => openHeldCall(a, stage.db)

  test('a call that runs on one keeps the other from changing its module', async () => {
    await refusal(a.admin.call(modules.uninstall, { ...plain, body: {} }))
    await seenBy(b, 'plain', false)
    await install(a.admin, await makeBundle({ version: '2.0.0', env: { TOOLS: '["echo","hold"]' } }))
    await a.admin.call(modules.enable, { ...plain, body: {} })
    await seenBy(b, 'plain', true)
    await using call = await hold()
    await call.approve()
    await call.runs()
    expect(await refusal(b.admin.call(modules.repair, plain))).toBe('module_busy')
    expect(await refusal(install(b.admin, await makeBundle({ version: '3.0.0' })))).toBe('module_busy')
    expect(await refusal(b.admin.call(modules.uninstall, { ...plain, body: {} }))).toBe('module_busy')
    await call.release()
    await call.ends()
    const { backup } = await b.admin.call(modules.uninstall, { ...plain, body: {} })
    await seenBy(a, 'plain', false)
    // The backup is there for both.
    const bytes = async (member: SharedMember) =>
      Buffer.from(await (await member.admin.call(modules.backup, { params: { backup: backup! } })).arrayBuffer())
    const [here, there] = [await bytes(a), await bytes(b)]
    expect(here.equals(there)).toBe(true)
    expect((await install(a.admin, here)).module).toMatchObject({ name: 'plain', version: '2.0.0' })
  })

  test('a call that starts after it was looked for, and before the module is changed, keeps the module', async () => {
    await a.admin.call(modules.enable, { ...plain, body: {} })
    await seenBy(b, 'plain', true)
    // The other has found no call, and asks the store for what it keeps.
    const asked = Promise.withResolvers<void>()
    const started = Promise.withResolvers<Fate>()
    b.store.meet = () => {
      asked.resolve()
      return started.promise
    }
    const uninstalled = refusal(b.admin.call(modules.uninstall, { ...plain, body: {} }))
    await asked.promise
    await using call = await hold()
    await call.approve()
    await call.runs()
    b.store.meet = () => 'pass'
    started.resolve('pass')
    expect(await uninstalled).toBe('module_busy')
    await call.release()
    await call.ends()
    expect(await moduleNames(b.admin)).toContain('plain')
  })

  test('a call that is about to start while its module is changed is judged by what has become of it', async () => {
    // What another process does, as slowly as can be: first the key, then the rows.
    await using call = await hold()
    await stage.db.transaction(async (trx) => {
      await stage.db.dialect.unhurried(trx)
      await stage.db.dialect.serialize(trx, moduleKey('plain'))
      await call.approve()
      await until(
        async () => {
          const waiting = sql<{ pid: number }>`select pid from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`
          return (await waiting.execute(stage.db.read)).rows.length === 1
        },
        { what: 'the call waits' },
      )
      await trx
        .updateTable('module')
        .set({ enabled: 0, updated_at: Date.now() })
        .where('module', '=', 'plain')
        .execute()
      stage.db.wake(trx, 'modules')
    })
    await call.ends()
    expect(await call.row()).toEqual({ status: 'failed', started_at: null })
  })

  test('a built-in that one removes comes back on the other with its settings', async () => {
    await a.admin.call(modules.saveSettings, { ...http, body: { values: { timeout_s: 12 } } })
    await until(async () => (await b.admin.call(modules.settings, http)).settings.values.timeout_s === 12, {
      what: 'the other knows the settings',
    })
    await a.admin.call(modules.uninstallBuiltin, http)
    await seenBy(b, 'http', false)
    await stage.sweep()
    await b.admin.call(modules.restoreBuiltin, http)
    expect((await b.admin.call(modules.settings, http)).settings.values).toMatchObject({ timeout_s: 12 })
  })

  test('settings that cannot be read are an error, and defaults are given when they are asked for', async () => {
    await seenBy(a, 'http', true)
    await a.admin.call(modules.uninstallBuiltin, http)
    await seenBy(b, 'http', false)
    await stage.db.write
      .updateTable('module_backup')
      .set(({ fn, val }) => ({ label: fn<string>('replace', ['label', val('"timeout_s":12'), val('"timeout_s":13')]) }))
      .where('module', '=', 'http')
      .execute()
    expect(await refusal(b.admin.call(modules.restoreBuiltin, http))).toBe('backup_unreadable')
    await stage.db.write.deleteFrom('module_backup').where('module', '=', 'http').execute()
    expect(await refusal(b.admin.call(modules.restoreBuiltin, http))).toBe('backup_unreadable')
    expect(await moduleNames(b.admin)).not.toContain('http')
    await b.admin.call(modules.restoreBuiltin, { ...http, query: { settings: 'default' } })
    expect(await moduleNames(b.admin)).toContain('http')
  })

  test('identical files of one owner are stored once, and stay as long as one of them', async () => {
    const before = new Set(await stage.objects('files'))
    const added = async () => (await stage.objects('files')).filter((id) => !before.has(id))
    const { file: first } = await upload(a.admin, 'the same')
    const { file: second } = await upload(b.admin, 'the same')
    await stage.sweep()
    expect(await added()).toEqual([first.file_id])
    // The other process lets go of the one that has the bytes, and stores the same again at the same time.
    const forever = { query: { forever: 'true' as const } }
    const [, { file: third }] = await Promise.all([
      b.admin.call(files.remove, { params: { file_id: first.file_id }, ...forever }),
      upload(a.admin, 'the same'),
    ])
    await a.admin.call(files.remove, { params: { file_id: second.file_id }, ...forever })
    await stage.sweep()
    expect(await download(b.admin, third.file_id)).toBe('the same')
    await b.admin.call(files.remove, { params: { file_id: third.file_id }, ...forever })
    await stage.sweep()
    expect(await added()).toEqual([])
  })

  test('uploads and removals of the same content on both lose nothing and leave nothing', async () => {
    const before = await stage.objects('files')
    const kept: string[] = []
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all([
        ...[a, b, a, b].map(({ admin }) => upload(admin, 'crowded')),
        ...kept
          .splice(0, 3)
          .map((file_id, at) =>
            [a, b][at % 2]!.admin.call(files.remove, { params: { file_id }, query: { forever: 'true' } }),
          ),
      ])
      for (const answer of answers) if ('file' in answer) kept.push(answer.file.file_id)
      await stage.sweep()
    }
    for (const file_id of kept) expect(await download(a.admin, file_id)).toBe('crowded')
    for (const file_id of kept) await b.admin.call(files.remove, { params: { file_id }, query: { forever: 'true' } })
    await stage.sweep()
    expect(await stage.objects('files')).toEqual(before)
  })

  test('no request has removed an object', () => {
    const removed = [a, b].flatMap(({ store }) => store.requests.filter(({ method }) => method === 'DELETE'))
    // The process that runs a module replaces its copies of that module's data, which no other one writes.
    expect(removed.filter(({ path }) => !path.includes('/module-data/'))).toEqual([])
  })

  test(
    'a process killed while it asks the store loses nothing that is installed',
    { timeout: KILLS === 1 ? 60_000 : 300_000 },
    async () => {
      const bundle = await makeBundle({ version: '4.0.0' })
      const digest = createHash('sha256').update(bundle).digest('hex')
      const steps = [
        () => install(b.admin, bundle),
        () => b.admin.call(modules.uninstall, { ...plain, body: {} }),
        () => upload(b.admin, 'killed'),
      ]
      for (const step of steps) {
        for (let n = 0; n < KILLS; n++) {
          const after = n % 2 === 0
          let left = Math.floor(n / 2) + 1
          let met = false
          // Killed when the store has done it, and when it has only been asked.
          b.store.meet = async () => {
            left--
            if (left !== 0) return 'pass'
            met = true
            if (after) return () => b.service.kill()
            await b.service.kill()
            return 'cut'
          }
          await step().catch(() => undefined)
          b.store.meet = () => 'pass'
          if (!met) break
          await Promise.all([stage.sweep(), b.service.restart()])
        }
      }
      await refusal(install(a.admin, bundle))
      await seenBy(a, 'plain', true)
      await seenBy(b, 'plain', true)
      expect((await a.admin.call(modules.module, plain)).module.versions[0]?.digest).toBe(digest)
      await expectRepairable()
    },
  )
})
