import { describe, expect, test } from 'vitest'
import { operatorsFor, readFilter, valueText } from './filter-form.ts'
import type { GridColumn } from '../grid/grid-source.ts'

const column = (type: GridColumn['type']): GridColumn => ({ key: 'c', label: 'C', type })
const read = (type: GridColumn['type'], op: 'eq' | 'in' | 'contains' | 'empty', text: string) =>
  readFilter({ column: 'c', op, text }, column(type))?.value

describe('what a filter is written with', () => {
  test('numbers stay exact, with a point or a comma', () => {
    expect(read('number', 'eq', '1,5')).toBe(1.5)
    expect(read('integer', 'eq', ' 1 000 ')).toBe(1000)
    expect(read('integer', 'eq', '12345678901234567890')).toBe('12345678901234567890')
    expect(read('integer', 'eq', 'many')).toBeUndefined()
    expect(read('number', 'in', '1, 2,x')).toEqual([1, 2])
  })
  test('dates, truth and text', () => {
    expect(read('date', 'eq', '2026-01-31')).toBe('2026-01-31')
    expect(read('date', 'eq', '31.1.')).toBeUndefined()
    expect(read('boolean', 'eq', 'false')).toBe(false)
    expect(read('text', 'contains', ' a')).toBe(' a')
    expect(read('text', 'eq', '')).toBeUndefined()
    expect(readFilter({ column: 'c', op: 'empty', text: 'ignored' }, column('text'))).toEqual({
      column: 'c',
      op: 'empty',
    })
  })
  test('every type has operators, and a value is written as it was read', () => {
    expect(operatorsFor(column('text'))[0]).toBe('contains')
    expect(operatorsFor(column('boolean'))).not.toContain('gt')
    expect(operatorsFor(column('datetime'))).toContain('gte')
    expect(valueText([1, 'b'])).toBe('1, b')
    expect(valueText(undefined)).toBe('')
  })
})
