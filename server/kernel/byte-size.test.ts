import { expect, test } from 'vitest'
import { byteSizeText, parseByteSize } from './byte-size.ts'

test('sizes are read with their unit', () => {
  expect(['512MiB', '5 GiB', '1.5gib', '10B', '2KiB', '1TiB'].map(parseByteSize)).toEqual([
    512 * 1024 ** 2,
    5 * 1024 ** 3,
    1.5 * 1024 ** 3,
    10,
    2048,
    1024 ** 4,
  ])
  for (const text of ['', '5', '5 GB', 'GiB', '-1MiB', '1e3MiB', '999999999999TiB', '5 MiB!'])
    expect(parseByteSize(text)).toBeNull()
})

test('and written as people write them', () => {
  expect([10, 1024, 256 * 1024 ** 2, 1.5 * 1024 ** 3, 5 * 1024 ** 4, 1_000_000].map(byteSizeText)).toEqual([
    '10 bytes',
    '1 KiB',
    '256 MiB',
    '1.5 GiB',
    '5 TiB',
    '976.5 KiB',
  ])
})
