import { expect, test } from 'vitest'
import { passwordStrength } from './password-strength.ts'

test.each([
  ['', 'too_short'],
  ['short', 'too_short'],
  ['aaaaaaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['maria-maria-2026!', 'weak'],
  ['abcdefghij', 'weak'],
  ['river stone 4', 'fair'],
  ['correct horse battery staple', 'good'],
  ['пароль из пяти слов', 'good'],
])('%j is %s', (password, expected) => {
  expect(passwordStrength(password, 'Maria')).toBe(expected)
})
