import { expect, test } from 'vitest'
import { readableText } from './readable-text.ts'

test.each([
  ['plain\ttext\r\nin lines\n', 'plain\ttext\nin lines\n'],
  ['\u001b[2J\u0007', '\\u{1b}[2J\\u{7}'],
  ['a\rb', 'a\\u{d}b'],
  ['\u202egnp.exe', '\\u{202e}gnp.exe'],
  ['pass\u200bword', 'pass\\u{200b}word'],
  ['a\u200db', 'a\\u{200d}b'],
  ['\u{e0068}\u{e0069}', '\\u{e0068}\\u{e0069}'],
  ['a\ufe01\ufe02', 'a\\u{fe01}\\u{fe02}'],
  ['❤️ 👩‍👩‍👧 نمی‌خواهم', '❤️ 👩‍👩‍👧 نمی‌خواهم'],
  ['❤\ufe0f\ufe0e', '❤\ufe0f\\u{fe0e}'],
])('%j', (text, readable) => expect(readableText(text)).toBe(readable))
