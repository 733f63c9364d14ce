import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { markUnused } from '../server/db/objects/unused-objects.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { ProblemAnswer, type TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { modules } = contract
const params = { module_name: 'plain' }

/** Fails the n-th statement after it was armed. */
class StatementFault {
  #left = Infinity
  struck = false
  readonly observe = (): void => {
    if (--this.#left > 0 || this.struck) return
    this.struck = true
    throw new Error('the disk is full (a fault of the test)')
  }
  arm(n: number): void {
    this.struck = false
    this.#left = n
  }
  disarm(): void {
    this.#left = Infinity
  }
}

interface Answer {
  readonly module?: { readonly version: string }
  readonly settings?: { readonly values: unknown }
}

/** What an operation must not leave half done. */
interface Situation {
  readonly version: string | null
  readonly state: string | null
  readonly enabled: boolean
  readonly settings: unknown
}

describe.each(databases)('statements that fail on $name', (database) => {
  // On PostgreSQL each takes longer, and the program is the same.
  const sample = database.name === 'sqlite' ? 1 : 4

  async function situation(admin: TestClient): Promise<Situation> {
    const { catalog } = await admin.call(modules.list)
    if (!catalog.some(({ name }) => name === 'plain'))
      return { version: null, state: null, enabled: false, settings: null }
    const module = await until(
      async () => {
        const found = (await admin.call(modules.module, { params })).module
        return found.state === 'starting' ? undefined : found
      },
      { what: 'the module is up or down' },
    )
    const { settings } = await admin.call(modules.settings, { params })
    return { version: module.version, state: module.state, enabled: module.enabled, settings: settings.values }
  }

  /** What is on the disk is what the database knows, no more and no less. */
  async function expectTidy(app: TestApp, admin: TestClient): Promise<void> {
    const root = join(app.dataFolder, 'modules')
    const { read } = app.app.db
    const rows = await read.selectFrom('module_version').select(['digest', 'stored_as']).execute()
    const known = rows.map(({ digest }) => digest).sort()
    expect((await readdir(join(root, 'unpacked'))).sort()).toEqual(known)
    const packed = await readdir(join(root, 'packages'), { recursive: true, withFileTypes: true })
    const stored = packed.filter((entry) => entry.isFile()).map(({ name }) => name)
    // What is unused is on the list of the sweep.
    const listed = await read.selectFrom('unused_object').select('object_id').execute()
    const unused = new Set(listed.map(({ object_id }) => object_id))
    const named = new Set(rows.map(({ stored_as }) => stored_as))
    expect(stored.filter((id) => !unused.has(id) && !named.has(id))).toEqual([])
    expect([...named].filter((id) => !stored.includes(id!))).toEqual([])
    expect(await readdir(join(root, 'staging'))).toEqual([])
    expect((await admin.call(modules.removed)).items).toEqual([])
  }

  const user_config = { region: { type: 'string', title: 'Region', description: 'Where', default: 'a' } }
  const operations: {
    what: string
    stride: number
    before: (admin: TestClient) => Promise<unknown>
    act: (admin: TestClient) => Promise<unknown>
    undo: (admin: TestClient) => Promise<unknown>
  }[] = [
    {
      what: 'installing',
      stride: sample,
      before: async () => undefined,
      act: async (admin) => install(admin, await makeBundle({ user_config })),
      undo: (admin) => removeCompletely(admin),
    },
    {
      what: 'upgrading what runs',
      // Starting a process each time takes its time.
      stride: 3 * sample,
      before: async (admin) => {
        await install(admin, await makeBundle({ user_config }))
        await admin.call(modules.enable, { params, body: {} })
      },
      act: async (admin) => install(admin, await makeBundle({ user_config, version: '2.0.0' })),
      undo: (admin) => removeCompletely(admin),
    },
    {
      what: 'enabling',
      stride: 3 * sample,
      before: async (admin) => install(admin, await makeBundle({ user_config })),
      act: (admin) => admin.call(modules.enable, { params, body: {} }),
      undo: (admin) => removeCompletely(admin),
    },
    {
      what: 'saving settings',
      stride: sample,
      before: async (admin) => install(admin, await makeBundle({ user_config })),
      act: (admin) => admin.call(modules.saveSettings, { params, body: { values: { region: 'b' } } }),
      undo: (admin) => removeCompletely(admin),
    },
  ]

  const told = ({ version, settings }: Situation) =>
    expect.toSatisfy((answer: Answer) =>
      answer.module === undefined
        ? JSON.stringify(answer.settings?.values) === JSON.stringify(settings)
        : answer.module.version === version,
    )

  let app: TestApp | null = null
  async function removeCompletely(admin: TestClient): Promise<void> {
    const { catalog } = await admin.call(modules.list)
    if (!catalog.some(({ name }) => name === 'plain')) return
    await admin.call(modules.uninstall, { params, body: { delete_data: true } })
    const { db } = app!.app
    await db.transaction(async (trx) => {
      const gone = await trx.deleteFrom('module_backup').returning('stored_as').execute()
      const ids = gone.map(({ stored_as }) => stored_as)
      await markUnused(db, trx, 'packages', ids)
    })
  }

  test.each(operations)(
    'while $what leave the old or the new, never half',
    { timeout: 120_000 },
    async ({ stride, before, act, undo }) => {
      const fault = new StatementFault()
      app = await startTestApp({ database, observe: fault.observe })
      await using _ = app
      const admin = await app.as('admin')
      await admin.call(modules.health, { params: { module_name: 'system' } })
      await before(admin)
      const old = await situation(admin)
      await act(admin)
      const done = await situation(admin)
      await undo(admin)

      let occasions = 0
      for (let n = 1; ; n += stride) {
        await before(admin)
        fault.arm(n)
        const answer = await act(admin).catch((error: unknown) => error)
        fault.disarm()
        if (!fault.struck) break
        occasions++
        const now = await situation(admin)
        // What failed after it was written down is done all the same; the answer alone is lost.
        expect([old, done]).toContainEqual(now)
        // An upgrade whose start failed was taken back, which its answer says.
        if (!(answer instanceof ProblemAnswer)) expect(answer).toEqual(told(now))
        await expectTidy(app, admin)
        // Nothing stands in the way of doing it again.
        if (now.version !== done.version || now.enabled !== done.enabled) await act(admin)
        await undo(admin)
      }
      expect(occasions).toBeGreaterThan(2)
    },
  )
})
