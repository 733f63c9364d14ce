import { expect, test } from 'vitest'
import { hasText, shownAs } from './file-kind.ts'

const file = (extension: string, media_type = 'application/octet-stream') => ({ extension, media_type })

test('the extension decides how a file is shown', () => {
  expect(['png', '.SVG', 'pdf', 'csv', 'xlsx', 'py', 'exe'].map((one) => shownAs(file(one)))).toEqual([
    'image',
    'image',
    'pdf',
    'table',
    'table',
    'text',
    'none',
  ])
  expect(shownAs(file('', 'text/plain'))).toBe('text')
  expect(hasText(file('csv'))).toBe(true)
  expect(hasText(file('xlsx'))).toBe(false)
})
