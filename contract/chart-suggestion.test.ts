import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { suggestCharts, type ChartColumn } from './chart-suggestion.ts'

const column = (key: string, type: string): ChartColumn => ({ key, label: key, type })
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

describe('charts that fit a table', () => {
  test('numbers over time are a line first', () => {
    const columns = [column('day', 'date'), column('used', 'number'), column('free', 'number')]
    const rows = range(30).map((i) => ({ day: `2026-01-${String(i + 1).padStart(2, '0')}`, used: 5 + i, free: 40 - i }))
    expect(suggestCharts(columns, rows)).toEqual([
      { kind: 'line', x: 'day', y: ['used', 'free'] },
      { kind: 'area', x: 'day', y: ['used', 'free'] },
      { kind: 'bar', x: 'day', y: ['used', 'free'] },
      { kind: 'scatter', x: 'used', y: ['free'] },
    ])
  })

  test('a year is a time, no amount', () => {
    const rows = range(6).map((i) => ({ year: 2020 + i, people: 1000 - i * 100 }))
    const [best] = suggestCharts([column('year', 'integer'), column('people', 'integer')], rows)
    expect(best).toEqual({ kind: 'line', x: 'year', y: ['people'] })
  })

  test('a name and an amount are bars, and a pie when there are few', () => {
    const columns = [column('host', 'text'), column('load', 'number')]
    const rows = (count: number) => range(count).map((i) => ({ host: `h${i}`, load: i + 1 }))
    expect(suggestCharts(columns, rows(4)).map(({ kind }) => kind)).toEqual(['bar', 'pie'])
    expect(suggestCharts(columns, rows(30)).map(({ kind }) => kind)).toEqual(['bar'])
    expect(suggestCharts(columns, rows(500))).toEqual([])
    const below = rows(4).map((row, i) => (i === 0 ? { ...row, load: -1 } : row))
    expect(suggestCharts(columns, below).map(({ kind }) => kind)).toEqual(['bar'])
  })

  test('numbers that only name something are not drawn', () => {
    const columns = ['id', 'user_id', 'customerId', 'zip', 'port'].map((key) => column(key, 'integer'))
    const rows = range(20).map((i) => Object.fromEntries(columns.map(({ key }) => [key, i])))
    expect(suggestCharts(columns, rows)).toEqual([])
  })

  test('one axis never has percent beside bytes, nor millions beside tenths', () => {
    const columns = [
      column('at', 'datetime'),
      column('cpu', 'percent'),
      column('memory', 'bytes'),
      column('idle', 'percent'),
    ]
    const rows = range(10).map((i) => ({ at: `2026-01-01T00:0${i}:00Z`, cpu: 10 + i, memory: 4e9 + i, idle: 90 - i }))
    expect(suggestCharts(columns, rows)[0]).toEqual({ kind: 'line', x: 'at', y: ['cpu', 'idle'] })
    const mixed = rows.map(({ at, cpu }) => ({ at, a: cpu, b: cpu * 1e6 }))
    expect(
      suggestCharts([column('at', 'datetime'), column('a', 'number'), column('b', 'number')], mixed)[0]?.y,
    ).toEqual(['a'])
  })

  test('nothing to draw: no rows, one row, only text', () => {
    expect(suggestCharts([column('a', 'number')], [])).toEqual([])
    expect(suggestCharts([column('a', 'text'), column('b', 'number')], [{ a: 'x', b: 1 }])).toEqual([])
    expect(
      suggestCharts(
        [column('a', 'text'), column('b', 'text')],
        [
          { a: 'x', b: 'y' },
          { a: 'z', b: 'y' },
        ],
      ),
    ).toEqual([])
  })

  test('whatever the table, what is suggested is there, and the y columns are numbers', () => {
    const types = fc.constantFrom(
      'text',
      'integer',
      'number',
      'boolean',
      'date',
      'datetime',
      'bytes',
      'percent',
      'duration',
    )
    const cell = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null))
    const keys = ['year', 'id', 'a', 'b', 'c']
    fc.assert(
      fc.property(
        fc.array(types, { minLength: 5, maxLength: 5 }),
        fc.array(fc.array(cell, { minLength: 5, maxLength: 5 }), { maxLength: 20 }),
        (kinds, cells) => {
          const columns = keys.map((key, i) => column(key, kinds[i]!))
          const rows = cells.map((row) => Object.fromEntries(keys.map((key, i) => [key, row[i]])))
          for (const { x, y } of suggestCharts(columns, rows)) {
            expect(keys).toContain(x)
            expect(y.length).toBeGreaterThan(0)
            expect(y).not.toContain(x)
            for (const key of y)
              expect(['integer', 'number', 'bytes', 'percent', 'duration']).toContain(
                columns.find((c) => c.key === key)!.type,
              )
          }
        },
      ),
    )
  })
})
