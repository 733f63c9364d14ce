import { expect, test } from 'vitest'
import { formatMessage } from './message-format.ts'

test('fills placeholders and writes numbers as the language does', () => {
  expect(formatMessage('{name} has {count} files', { name: 'Ada', count: 12_345 }, 'en')).toBe('Ada has 12,345 files')
  expect(formatMessage('{count}', { count: 12_345 }, 'de')).toBe('12.345')
})

test('chooses the plural form of the language', () => {
  const files = '{n, plural, =0 {no files} one {# file} other {# files}} found'
  expect([0, 1, 2].map((n) => formatMessage(files, { n }, 'en'))).toEqual([
    'no files found',
    '1 file found',
    '2 files found',
  ])
  const russian = '{n, plural, one {# файл} few {# файла} many {# файлов} other {# файла}}'
  expect([1, 3, 5, 21].map((n) => formatMessage(russian, { n }, 'ru'))).toEqual([
    '1 файл',
    '3 файла',
    '5 файлов',
    '21 файл',
  ])
})

test('fills placeholders inside a plural form', () => {
  const text = '{n, plural, one {# file of {who}} other {# files of {who}}}'
  expect(formatMessage(text, { n: 2, who: 'Ada' }, 'en')).toBe('2 files of Ada')
})

test('shows what is missing, never reads a value as a placeholder, and does not throw on an open brace', () => {
  expect(formatMessage('Hello {name}', {}, 'en')).toBe('Hello {name}')
  expect(formatMessage('Hello {name}', { name: '{other}' }, 'en')).toBe('Hello {other}')
  expect(formatMessage('Hello {name', { name: 'Ada' }, 'en')).toBe('Hello Ada')
})
