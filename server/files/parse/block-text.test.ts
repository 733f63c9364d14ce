import { expect, test } from 'vitest'
import { BlockText } from './block-text.ts'

test('blocks go on lines of their own, runs of blanks become one', () => {
  const out = new BlockText(1000)
  out.text('  a \n\t b')
  out.text(' c ')
  out.line()
  out.line('- ')
  out.text(' item')
  out.gap()
  out.text('')
  out.text('end\0')
  expect(out.result()).toEqual({ text: 'a b c\n- item\n\nend\uFFFD', complete: true })
})

test('cells go side by side, including empty ones and nested rows', () => {
  const out = new BlockText(1000)
  for (const cells of [
    ['', 'b', ''],
    ['c', '', 'e'],
  ]) {
    out.row()
    for (const cell of cells) {
      out.cell()
      out.line()
      out.text(cell)
      out.line()
    }
    out.endRow()
  }
  out.row()
  out.cell()
  out.row()
  out.cell()
  out.text('x')
  out.cell()
  out.text('y')
  out.endRow()
  out.cell()
  out.text('z')
  out.endRow()
  expect(out.result().text).toBe('| b\nc |  | e\nx | y | z')
})

test('the limit holds, without splitting a character', () => {
  const out = new BlockText(5)
  out.text('abcd')
  expect(out.full).toBe(false)
  out.text('😀')
  expect(out.full).toBe(true)
  out.text('more')
  expect(out.result()).toEqual({ text: 'abcd', complete: false })
})

test('blanks without end cost no time', () => {
  const out = new BlockText(2_000_000)
  out.text(`a${' '.repeat(1_000_000)}b`, true)
  expect(out.result().text!.length).toBe(1_000_002)
})
