import { expect, test } from 'vitest'
import { countIntact, encodingByMark, encodingByZeros } from './encoding-signs.ts'

const UTF16 = Buffer.from('id;name\r\n1;Ёж\r\n', 'utf16le')

test('a byte order mark', () => {
  expect(encodingByMark(Buffer.from('\ufeffa'))).toBe('utf-8')
  expect(encodingByMark(Buffer.from('\ufeffa', 'utf16le'))).toBe('utf-16le')
  expect(encodingByMark(Buffer.from('\ufeffa', 'utf16le').swap16())).toBe('utf-16be')
  expect(encodingByMark(Buffer.from('a'))).toBeNull()
  expect(encodingByMark(new Uint8Array())).toBeNull()
})

test('zeros on one side', () => {
  expect(encodingByZeros(UTF16)).toBe('utf-16le')
  expect(encodingByZeros(Buffer.from(UTF16).swap16())).toBe('utf-16be')
  expect(encodingByZeros(Buffer.from('plain'))).toBeNull()
  expect(encodingByZeros(Buffer.from([0, 0, 1, 2]))).toBeNull()
  expect(encodingByZeros(Buffer.from(`${'x'.repeat(1000)}\0`))).toBeNull()
  expect(encodingByZeros(new Uint8Array())).toBeNull()
})

test('UTF-8 with a fault, and what only looks like it', () => {
  expect(countIntact('Größe und Maß: fünf Käse, \ufffd')).toEqual({ intact: 5, broken: 1 })
  expect(countIntact('\ufffd\ufffd\ufffd')).toEqual({ intact: 0, broken: 3 })
  expect(countIntact('plain')).toEqual({ intact: 0, broken: 0 })
})
