import { expect, test } from 'vitest'
import type { FileText } from './file-text.ts'
import { TextCache } from './text-cache.ts'

const text = (characters: number, lasting = true): FileText => ({
  parser: 'pdf',
  status: lasting ? 'parsed' : 'failed',
  text: 'x'.repeat(characters),
  lasting,
})

test('a file is read once, even for concurrent requests', async () => {
  const cache = new TextCache()
  let times = 0
  const read = async () => {
    times++
    return text(10)
  }
  await Promise.all([cache.get('a', read), cache.get('a', read)])
  await cache.get('a', read)
  expect(times).toBe(1)
})

test('the least recently used texts go first, and the total stays within its limit', async () => {
  const cache = new TextCache(10_000)
  const read: string[] = []
  const get = (key: string) =>
    cache.get(key, async () => {
      read.push(key)
      return text(4000)
    })
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key)
  expect(read).toEqual(['a', 'b', 'c', 'b'])
  await cache.get('huge', async () => text(20_000))
  await get('a')
  expect(read.at(-1)).toBe('a')
})

test('bad luck is retried after a while, a fault of the reader at once', async () => {
  let now = 0
  const cache = new TextCache(10_000, () => now)
  let times = 0
  const unlucky = async () => text(++times, false)
  await cache.get('a', unlucky)
  await cache.get('a', unlucky)
  expect(times).toBe(1)
  now += 6 * 60_000
  await cache.get('a', unlucky)
  expect(times).toBe(2)
  await expect(cache.get('b', () => Promise.reject(new Error('disk')))).rejects.toThrow('disk')
  expect((await cache.get('b', async () => text(1))).text).toBe('x')
})
