import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, lastAnswer, partsOf } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import {
  counted,
  counterBundle,
  counterProgram,
  type Counting,
  isCounted,
  openCounterStage,
  runCounter,
  runsOf,
} from './stage/modules/counter-stage.ts'
import { install } from './stage/modules/module-bundles.ts'
import { openFolder } from './stage/open-folder.ts'
import { openFeed } from './stage/activity-feed.ts'
import { answer, pendingOf } from './stage/chat/question-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const params = { module_name: 'counter' }

describe.each(databases.filter(({ name }) => name === 'postgres'))(
  'a module with data, and two processes',
  (database) => {
    let stage: Awaited<ReturnType<typeof openCounterStage>>
    /** It owns the module, until it is killed. */
    let owner: Counting
    let other: Counting
    beforeAll(async () => {
      stage = await openCounterStage(database)
      owner = await stage.first()
      await runCounter(owner.admin)
      other = await stage.another()
    })
    afterAll(async () => {
      await other?.process[Symbol.asyncDispose]()
      await owner?.process[Symbol.asyncDispose]()
      await stage?.[Symbol.asyncDispose]()
    })

    /** A call that a process asked for some seconds ago, which has ended since. */
    async function forsake(call_id: string, seconds: number): Promise<void> {
      await stage.sql(
        `insert into module_call (call_id, module, kind, state, request, seen_at)
        values ($1, 'counter', 'call', 'asked', 'sealed', extract(epoch from now()) * 1000 - $2::int * 1000)`,
        [call_id, seconds],
      )
    }

    async function forsakenCalls(): Promise<Record<string, string>> {
      const rows = await stage.sql(`select call_id, state from module_call where request = 'sealed'`, [])
      return Object.fromEntries(rows.map(({ call_id, state }) => [call_id, state]))
    }

    test('calls through either process reach one counter', async () => {
      expect(await counted(owner.ann)).toBe('number 1')
      expect(await counted(other.ann)).toBe('number 2')
      expect(await counted(owner.ann)).toBe('number 3')
      expect(await counted(other.ann, 'read')).toBe('number 3')
      expect(await runsOf(owner.admin)).toMatchObject({ instances: 'singleton', declared: null, owner: { here: true } })
      expect(await runsOf(other.admin)).toMatchObject({ instances: 'singleton', owner: { here: false } })
    })

    test('a call through the other process tells how far it is, and is stopped there', async () => {
      await using feed = await openFeed(other.ann)
      const { conversation_id } = await begin(other.ann, '/counter.hold {}')
      await feed.find((event) => event.type === 'tool.progress' && JSON.stringify(event).includes('holding 4'))
      await other.ann.call(contract.chat.cancel, { body: { conversation_id } })
      expect(await callOf(other.ann, conversation_id)).toMatchObject({ status: 'unknown' })
      expect(await counted(owner.ann, 'read')).toBe('number 4')
    })

    test('its question is answered through the other process', async () => {
      const { run_id, conversation_id } = await begin(other.ann, '/counter.ask {}')
      const card = await until(async () => (await pendingOf(other.ann)).find((each) => each.run_id === run_id))
      await answer(other.ann, card.approval_id, { by: 6 })
      expect(await callOf(other.ann, conversation_id)).toMatchObject({ status: 'done', result_preview: 'number 10' })
    })

    test('health, diagnostics and repair are those of its owner', async () => {
      const { health } = await other.admin.call(contract.modules.health, { params })
      expect(health.status).not.toBe('unhealthy')
      const here = await owner.admin.call(contract.modules.diagnostics, { params })
      const there = await other.admin.call(contract.modules.diagnostics, { params })
      expect(there.module.process?.pid).toBe(here.module.process?.pid)
      await other.admin.call(contract.modules.repair, { params })
      expect(await counted(other.ann, 'read')).toBe('number 10')
    })

    test('the other process upgrades it, and its data stay', async () => {
      const server = (await counterProgram()).replace("'released'", "'let go'")
      await install(other.admin, await counterBundle({ version: '1.1.0', files: { 'server.mjs': server } }))
      expect(await counted(owner.ann, 'read')).toBe('number 10')
      const { module } = await owner.admin.call(contract.modules.module, { params })
      expect(module).toMatchObject({ version: '1.1.0', state: 'running' })
    })

    test('a call whose asker ended is not run', async () => {
      await forsake('forsaken', 30)
      await forsake('old', 3600)
      // Each is found by looking at everything that waits, one look after the other.
      for (const each of [other, owner, other, owner]) expect(await counted(each.ann, 'read')).toBe('number 10')
      expect(await forsakenCalls()).toEqual({ forsaken: 'asked', old: 'asked' })
    })

    test('its owner is killed in the middle of a call: the call is unknown, and the other process goes on with its data', async () => {
      expect(await counted(other.ann)).toBe('number 11')
      const since = (await runsOf(other.admin))!.data!.kept_at
      await until(async () => (await runsOf(other.admin))!.data!.kept_at !== since, { what: 'its data are kept' })
      const { conversation_id } = await begin(other.ann, '/counter.hold {}')
      await isCounted(owner.process, '12')
      await owner.process.kill()
      const killed = performance.now()
      expect(await callOf(other.ann, conversation_id)).toMatchObject({ status: 'unknown' })
      expect(await counted(other.ann, 'read')).toBe('number 11')
      // Lease and 5 s, of which the test leaves something to a crowded machine.
      expect(performance.now() - killed).toBeLessThan(30_000)
      expect(await runsOf(other.admin)).toMatchObject({ owner: { here: true } })
    })

    test('a process that comes back calls it where it runs now, and takes it over without a pause when that one stops', async () => {
      await owner.process.restart()
      owner = { ...owner, admin: await owner.process.signIn('admin'), ann: await owner.process.signIn('ann') }
      expect(await counted(owner.ann)).toBe('number 12')
      await until(async () => !('old' in (await forsakenCalls())), { what: 'rows of askers that ended are removed' })
      await other.process.kill('SIGTERM')
      expect(await counted(owner.ann)).toBe('number 13')
    })
  },
)

describe.each(databases.filter(({ name }) => name === 'postgres'))('a module on a shared volume', (database) => {
  test('its owner stands still and goes on: there are never two of it at once', async () => {
    // It goes last: the module of whichever process is left still writes to it.
    await using closing = new AsyncDisposableStack()
    const volume = await openFolder(closing)
    await using stage = await openCounterStage(database, { REEVE_MODULE_DATA: volume })
    const owner = await stage.first()
    await using frozen = owner.process
    await runCounter(owner.admin, { env: { WITNESS: 'yes' } })
    const other = await stage.another()
    await using _other = other.process
    expect(await counted(other.ann)).toBe('number 1')
    process.kill(frozen.pid, 'SIGSTOP')
    expect(await until(async () => (await runsOf(other.admin))!.owner?.here)).toBe(true)
    expect(await counted(other.ann)).toBe('number 2')
    process.kill(frozen.pid, 'SIGCONT')
    expect(await counted(owner.ann)).toBe('number 3')
    const lines = (await readFile(join(volume, 'counter/witness'), 'utf8')).trim().split('\n')
    const writers = lines.map((line) => line.split(' ')[0])
    // Each wrote without another in between.
    expect(writers.filter((writer, at) => writer !== writers[at - 1])).toHaveLength(2)
  })
})

/** The one call of a conversation, once it has ended. */
async function callOf(client: TestClient, conversation_id: string) {
  const message = await until(async () => {
    const newest = await lastAnswer(client, conversation_id)
    return newest.status !== 'streaming' && newest
  })
  return partsOf(message, 'tool_call')[0]!.tool_call
}
