import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TableSource, WatchCondition } from '../contract/watch-values.ts'
import { openStage, type Member, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gaugeModule } from './stage/watches/gauge-module.ts'
import { watching, type Watching } from './stage/watches/watch-stage.ts'

const { createWatch, tryWatch } = contract.watches
const READ = 'tool:gauge.read'
const SOURCE: TableSource = {
  kind: 'table',
  module: 'gauge',
  tool: 'read',
  arguments: { hall: 'north' },
  machines: { of: 'local' },
  column: 'pressure',
  key: 'pump',
  match: 'none',
  where: [],
}
const HIGH: WatchCondition = { is: 'above', bound: 8, back: null, for_s: 0 }

describe.each(databases)('watches of tables, on $name', (database) => {
  const { module, gauge } = gaugeModule()
  let stage: Stage
  let ann: Member
  let watch: Watching
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, builtins: [module] })
    ann = await stage.member('ann')
    watch = watching(stage)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const pump = (name: string, pressure: number | string | null, state = 'on') => ({ pump: name, pressure, state })
  const add = (name: string, source: Partial<TableSource> = {}, condition = HIGH) =>
    watch.add(ann.client, { name, source: { ...SOURCE, ...source }, condition })
  const phases = async (watch_id: string) =>
    Object.fromEntries((await watch.read(ann.client, watch_id)).subjects.map(({ row, phase }) => [row, phase]))

  test('each row is followed by itself, and one that is there no more has recovered', async () => {
    gauge.rows = [pump('P1', 5), pump('P2', 9)]
    const { watch_id } = await add('Pumps')
    expect(await phases(watch_id)).toEqual({ P1: 'ok', P2: 'crossed' })
    gauge.rows = [pump('P1', 8.5), pump('P2', 9.5)]
    await watch.later(ann.client, watch_id)
    expect(await phases(watch_id)).toEqual({ P1: 'crossed', P2: 'crossed' })
    gauge.rows = [pump('P1', 8.5)]
    await watch.later(ann.client, watch_id)
    expect(await phases(watch_id)).toEqual({ P1: 'crossed' })
    const all = await watch.crossings(ann.client, watch_id)
    expect(all.map(({ row, value, ended }) => [row, value, ended])).toEqual([
      ['P1', 8.5, null],
      ['P2', 9, 'recovered'],
    ])
    expect(gauge.calls).toContainEqual({ hall: 'north' })
  })

  test('no answer, another table or no number is not known', async () => {
    gauge.rows = [pump('P1', 9), pump('P2', 1)]
    const { watch_id } = await add('Unknown')
    gauge.fails = 'The hall is dark.'
    let seen = await watch.later(ann.client, watch_id)
    expect(seen.counts).toEqual({ crossed: 1, pending: 0, unknown: 2, all: 2 })
    expect(seen.subjects[0]).toMatchObject({ row: 'P1', phase: 'crossed', value: 9, problem: 'The hall is dark.' })
    gauge.fails = null
    gauge.rows = [pump('P1', 'broken'), pump('P2', null)]
    seen = await watch.later(ann.client, watch_id)
    expect(seen.counts).toMatchObject({ crossed: 1 })
    expect(await watch.crossings(ann.client, watch_id)).toMatchObject([{ ended: null }])
    gauge.rows = [pump('P1', 1), pump('P2', 1)]
    expect((await watch.later(ann.client, watch_id)).counts).toMatchObject({ crossed: 0, unknown: 0 })
  })

  test('a look that misses a column says which there are', async () => {
    gauge.rows = [pump('P1', 9)]
    const tried = await ann.client.call(tryWatch, {
      body: { source: { ...SOURCE, column: 'heat', key: null }, condition: HIGH },
    })
    expect(tried.subjects).toMatchObject([{ value: null, problem: 'The table has no column “heat”.' }])
    expect(tried.columns.map(({ key }) => key)).toEqual(['pump', 'pressure', 'state'])
  })

  test('the number of rows that match can be watched', async () => {
    gauge.rows = [pump('P1', 1, 'failed'), pump('P2', 1)]
    const where = [{ column: 'state', op: 'is', value: 'failed' }] as const
    const few = { ...HIGH, bound: 0 }
    const { watch_id, subjects } = await add(
      'Failed',
      { column: null, key: null, match: 'all', where: [...where] },
      few,
    )
    expect(subjects).toMatchObject([{ row: '', value: 1, phase: 'crossed' }])
    gauge.rows = [pump('P1', 1), pump('P2', 1)]
    expect((await watch.later(ann.client, watch_id)).subjects).toMatchObject([{ value: 0, phase: 'ok' }])
  })

  test('it calls as its owner may now: what would ask or is denied is a refusal, and no card', async () => {
    gauge.rows = [pump('P1', 9)]
    const { watch_id } = await add('Judged')
    for (const [effect, words] of [
      ['ask', 'would have to be approved'],
      ['deny', 'not allowed'],
    ] as const) {
      await stage.setRules(ann, [{ subject: READ, effect }])
      const calls = gauge.calls.length
      const seen = await watch.later(ann.client, watch_id)
      expect(seen.problem).toContain(words)
      // What was crossed is not known to be over.
      expect(seen.counts).toMatchObject({ crossed: 1, unknown: 1 })
      expect(gauge.calls).toHaveLength(calls)
      await expect(
        ann.client.call(createWatch, {
          body: { name: `No ${effect}`, source: SOURCE, condition: HIGH, action: NOBODY },
        }),
      ).rejects.toMatchObject({ code: 'watch_not_allowed' })
      await expect(ann.client.call(tryWatch, { body: { source: SOURCE, condition: HIGH } })).rejects.toMatchObject({
        code: 'watch_not_allowed',
      })
    }
    expect((await ann.client.call(contract.chat.listApprovals, { query: {} })).items).toEqual([])
    await stage.setRules(ann, [])
    expect((await watch.later(ann.client, watch_id)).problem).toBe(null)
  })

  test('only what reads is watched, with arguments that fit, for a person', async () => {
    const refused = async (source: Partial<TableSource>, code: string) =>
      expect(
        ann.client.call(createWatch, {
          body: { name: 'No', source: { ...SOURCE, ...source }, condition: HIGH, action: NOBODY },
        }),
      ).rejects.toMatchObject({ code })
    await stage.setRules(ann, [{ subject: 'tool:gauge.*', effect: 'allow' }])
    await refused({ tool: 'turn', arguments: {} }, 'watch_not_allowed')
    await refused({ tool: 'nothing' }, 'watch_not_allowed')
    await refused({ arguments: { hall: 7 } }, 'watch_not_allowed')
    await refused({ arguments: { hall: 'x'.repeat(5000) } }, 'bad_watch')
    await refused({ match: 'all' }, 'invalid_request')
    const admin = await stage.as('admin')
    await expect(
      admin.call(createWatch, {
        body: { name: 'All', source: SOURCE, condition: HIGH, action: NOBODY, shared: true },
      }),
    ).rejects.toMatchObject({ code: 'bad_watch' })
  })

  test('a table of the machine: its disks by mount point, and calls are kept as the role says', async () => {
    const admin = await stage.as('admin')
    const params = { role_id: ann.role_id }
    await admin.call(contract.accounts.updateRole, { params, body: { audit_reads: 'full' } })
    const source = { module: 'system', tool: 'disks', arguments: {}, column: 'usage', key: 'path' }
    const { watch_id, subjects } = await add('Disks', source, { ...HIGH, bound: 101 })
    expect(subjects.length).toBeGreaterThan(0)
    expect(subjects[0]).toMatchObject({ machine: 'local', row: expect.stringMatching(/^\//), phase: 'ok' })
    const { items: entries } = await admin.call(contract.accounts.audit, {
      query: { action: 'tool.called' },
    })
    expect(entries[0]).toMatchObject({ actor: 'ann', details: { tool: 'system.disks', host: 'local', watch_id } })
  })
})

const NOBODY = { tell: null, on_recovery: false, repeat_s: null, routine_id: null }
