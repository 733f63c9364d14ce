import { describe, expect, test } from 'vitest'
import english from '../../locales/en.json'
import { takeTexts } from '../../text/i18n.ts'
import { readTable } from './written-table.ts'

takeTexts(english)

describe('a table written as text', () => {
  test('has values, and its words as they were written', () => {
    const { table, texts, formats } = readTable({
      title: 'Disks',
      head: ['Name', 'Price'],
      rows: [
        ['a', '€ 1,200'],
        ['b', '€ 9'],
      ],
    })
    expect(table.columns).toEqual([
      { key: 'Name', label: 'Name', type: 'text' },
      { key: 'Price', label: 'Price', type: 'number' },
    ])
    expect(table.rows.map((row) => row['Price'])).toEqual([1200, 9])
    expect(texts[0]).toEqual({ Name: 'a', Price: '€ 1,200' })
    expect(formats).toEqual({ Price: 'EUR' })
  })
  test('has unique keys where labels are missing or repeated', () => {
    const { table } = readTable({
      title: '',
      head: ['', 'a', 'a', 'a 2', '__proto__'],
      rows: [['1', '2', '3', '4', '5']],
    })
    expect(table.columns.map(({ key }) => key)).toEqual(['Column 1', 'a', 'a 2', 'a 2 2', '__proto__'])
    expect(Object.values(table.rows[0]!)).toEqual([1, 2, 3, 4, 5])
  })
  test('of thousands of equal labels is read at once', () => {
    const head = Array.from({ length: 16_000 }, () => 'x')
    expect(readTable({ title: '', head, rows: [] }).table.columns).toHaveLength(16_000)
  })
})
