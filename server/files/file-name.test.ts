import { describe, expect, test } from 'vitest'
import { AppError } from '../kernel/app-error.ts'
import { extensionOf, fileName } from './file-name.ts'

const attacks = {
  'parent folder': '..',
  'this folder': '.',
  'path upwards': '../../etc/passwd',
  'absolute path': '/etc/passwd',
  'Windows path': 'C:\\x',
  NUL: 'a\0.txt',
  'header injection': 'a\r\nSet-Cookie: x=1',
  'line end at the end': 'a.txt\n',
  'right-to-left override': 'invoice\u202efdp.exe',
  'isolate mark': 'a\u2066b',
  'byte order mark': '\ufeffa.txt',
  'line separator': 'a\u2028b',
  'C1 control': 'a\u0085b',
  'lone surrogate': 'a\ud800.txt',
  '300 characters': `${'x'.repeat(296)}.txt`,
  '256 characters': 'x'.repeat(256),
  empty: '',
  blanks: ' \u00a0 ',
}

describe('file names', () => {
  test.each(Object.entries(attacks))('refuses %s', (_what, name) => {
    expect(() => fileName(name)).toThrow(AppError)
  })

  test.each([
    'отчёт за март.xlsx',
    '契約書.pdf',
    '👨‍👩‍👧 семья.png',
    'a;b="c".csv',
    '...a',
    'x'.repeat(255),
    'דוח.txt',
    '%2e%2e%2f',
    'C:x',
  ])('keeps %s', (name) => expect(fileName(name)).toBe(name))

  test('trims and composes', () => {
    expect(fileName('  cafe\u0301.txt ')).toBe('caf\u00e9.txt')
  })

  test.each([
    ['a.TXT', 'txt'],
    ['a.tar.gz', 'gz'],
    ['README', ''],
    ['.gitignore', ''],
    ['a.', ''],
    ['a.b c', ''],
    ['a.яml', ''],
    [`a.${'x'.repeat(16)}`, 'x'.repeat(16)],
    [`a.${'x'.repeat(17)}`, ''],
  ])('the extension of %s is "%s"', (name, extension) => expect(extensionOf(name)).toBe(extension))
})
