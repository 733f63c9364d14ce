import { describe, expect, test } from 'vitest'
import { columnWidths } from './column-widths.ts'
import type { GridColumn } from './grid-source.ts'

const column = (key: string): GridColumn => ({ key, label: key, type: 'text' })
const [DAY, LINE, NOTE] = [column('day'), column('line'), column('note')]

function widthsOf(columns: readonly GridColumn[], row: Record<string, string>, room: number, chosen = {}) {
  return columnWidths(columns, [row], (cells, { key }) => String(cells[key] ?? ''), chosen, room)
}

describe('the width of columns', () => {
  test('a date fits, whatever its digits', () => {
    expect(widthsOf([DAY], { day: '2026-09-04' }, 0)[0]).toBeGreaterThanOrEqual(108)
  })

  test('a long text takes what is left, not more than it needs', () => {
    const row = { day: '2026-09-04', line: 'x'.repeat(80), note: 'short' }
    const [day = 0, line = 0, note = 0] = widthsOf([DAY, LINE, NOTE], row, 0)
    expect(line).toBe(320)
    expect(widthsOf([DAY, LINE, NOTE], row, day + note + 500)).toEqual([day, 500, note])
    expect(widthsOf([DAY, LINE, NOTE], row, 5000)[1]).toBe(Math.round(80 * 7.4 + 26))
  })

  test('two long ones share it, and a chosen width stays', () => {
    const row = { line: 'x'.repeat(50), note: 'x'.repeat(200) }
    expect(widthsOf([LINE, NOTE], row, 1000)).toEqual([396, 604])
    expect(widthsOf([LINE, NOTE], row, 1000, { note: 100 })).toEqual([396, 100])
  })
})
