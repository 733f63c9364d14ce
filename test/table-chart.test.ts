import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TableChart, TableChartResult } from '../contract/table-chart.ts'
import type { TableView } from '../contract/tables.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const ROWS = 30_000
/** Far from the beginning, one row each. */
const SPIKES = new Map([
  [17_001, 9999],
  [29_876, -500],
])

/** One row a minute: a smooth value, one of seven hosts, and two outliers. */
function samples(): string {
  const start = Date.parse('2026-01-01T00:00:00Z')
  const lines = ['at,host,load,size']
  for (let i = 0; i < ROWS; i++) {
    const at = new Date(start + i * 60_000).toISOString().slice(0, 16)
    lines.push(`${at},h${i % 7},${SPIKES.get(i) ?? i % 100},${i === 5 ? '' : 2}`)
  }
  return lines.join('\n')
}

describe.each(databases)('what a chart of a stored table draws on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  let file_id: string
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    ann = await stage.as('ann')
    const response = await ann.fetch('/api/files', {
      method: 'POST',
      headers: { 'x-file-name': 'samples.csv', 'content-type': 'text/csv' },
      body: samples(),
    })
    file_id = ((await response.json()) as { file: { file_id: string } }).file.file_id
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const draw = (chart: TableChart, view: TableView = {}): Promise<TableChartResult> =>
    ann.call(contract.tables.chart, {
      params: { file_id },
      query: { chart: JSON.stringify(chart), view: JSON.stringify(view) },
    })
  const loads = ({ rows }: TableChartResult): unknown[] => rows.map((row) => row['load'])

  test('along time: bounded, in its order, from the first row to the last, with every peak', async () => {
    for (const kind of ['line', 'area', 'scatter'] as const) {
      const found = await draw({ kind, x: 'at', y: ['load'] })
      expect([kind, found.total, found.summed]).toEqual([kind, ROWS, false])
      expect(found.rows.length).toBeLessThan(5000)
      expect(found.rows.length).toBeGreaterThan(200)
      expect(loads(found)).toEqual(expect.arrayContaining([...SPIKES.values()]))
      const times = found.rows.map((row) => String(row['at']))
      expect(times).toEqual(times.toSorted())
      expect(times[0]).toMatch(/^2026-01-01T00:00/)
      expect(times.at(-1)).toMatch(/^2026-01-21T19:59/)
    }
  })

  test('the peaks of each of several columns', async () => {
    const { rows } = await draw({ kind: 'line', x: 'at', y: ['load', 'size'] })
    expect(rows.length).toBeLessThan(2000)
    expect(Object.keys(rows[0]!).toSorted()).toEqual(['at', 'load', 'size'])
  })

  test('by name: the sums of all rows, in the order of the view', async () => {
    const { rows, total, summed } = await draw({ kind: 'bar', x: 'host', y: ['size'] })
    expect([total, summed]).toEqual([7, true])
    expect(rows.map((row) => row['host'])).toEqual(['h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
    // All but the one that is empty.
    expect(rows.reduce((sum, row) => sum + Number(row['size']), 0)).toBe(2 * (ROWS - 1))
    const sorted = await draw({ kind: 'bar', x: 'host', y: ['size'] }, { sort: [{ column: 'host', dir: 'desc' }] })
    expect(sorted.rows[0]).toMatchObject({ host: 'h6' })
  })

  test('of many names bars show the largest, and a line all stretches', async () => {
    const bars = await draw({ kind: 'bar', x: 'at', y: ['load'] })
    expect([bars.rows.length, bars.total]).toEqual([60, ROWS])
    expect(bars.rows[0]).toEqual({ at: '2026-01-12T19:21', load: 9999 })
    expect((await draw({ kind: 'pie', x: 'at', y: ['load'] })).rows).toHaveLength(9)
    const line = await draw({ kind: 'line', x: 'host', y: ['load'] })
    expect(line.rows).toHaveLength(7)
  })

  test('of the rows that the view selects, and all of them when they are few', async () => {
    const view: TableView = { filters: [{ column: 'load', op: 'gt', value: 500 }] }
    expect(await draw({ kind: 'line', x: 'at', y: ['load'] }, view)).toEqual({
      rows: [{ at: '2026-01-12T19:21', load: 9999 }],
      total: 1,
      summed: false,
    })
    expect(await draw({ kind: 'line', x: 'at', y: ['load'] }, { search: 'nothing' })).toEqual({
      rows: [],
      total: 0,
      summed: false,
    })
  })

  test.each([
    ['not json', '{', 'chart'],
    ['an unknown kind', '{"kind":"radar","x":"at","y":["load"]}', 'chart.kind'],
    ['nothing to draw', '{"kind":"line","x":"at","y":[]}', 'chart.y'],
    ['a column that is not there', '{"kind":"line","x":"when","y":["load"]}', 'view'],
    ['points along names', '{"kind":"scatter","x":"host","y":["load"]}', 'view'],
  ])('%s is refused', async (_what, chart, path) => {
    const response = await ann.fetch(`/api/files/${file_id}/table/chart?chart=${encodeURIComponent(chart)}`)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ code: 'invalid_request', errors: [{ path }] })
  })

  test('a column without numbers has nothing to draw', async () => {
    expect(await draw({ kind: 'line', x: 'at', y: ['host'] })).toEqual({ rows: [], total: 0, summed: false })
  })

  test('it is private', async () => {
    const bob = await stage.as('bob')
    const response = await bob.fetch(
      `/api/files/${file_id}/table/chart?chart=${encodeURIComponent('{"kind":"line","x":"at","y":["load"]}')}`,
    )
    expect(response.status).toBe(404)
  })
})
