import { expect, test } from 'vitest'
import { Places, type NoPlace, type PlaceRequest } from './places.ts'

/** Requests places and records who got one. */
function desk(places: Places) {
  const got: string[] = []
  const release = new Map<string, () => void>()
  const ask = async (name: string, request: Partial<PlaceRequest> = {}): Promise<NoPlace | null> => {
    const place = await places.take({ owner: name.slice(0, 1), ...request })
    if (typeof place === 'string') return place
    got.push(name)
    release.set(name, place)
    return null
  }
  const end = async (name: string): Promise<void> => {
    release.get(name)!()
    release.get(name)!()
    await new Promise(setImmediate)
  }
  return { got, ask, end }
}

test('however much one owner asks for, another comes next', async () => {
  const { got, ask, end } = desk(new Places({ size: 2 }))
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void ask(name)
  await new Promise(setImmediate)
  expect(got).toEqual(['a1', 'a2'])
  await end('a1')
  await end('a2')
  expect(got).toEqual(['a1', 'a2', 'b1', 'c1'])
  await end('b1')
  await end('c1')
  // No one holds a place now, so whoever was served longest ago comes first.
  expect(got.slice(4)).toEqual(['a3', 'b2'])
})

test('one owner leaves a place to others, however many are free', async () => {
  const { got, ask, end } = desk(new Places({ size: 3, heavy: 2, each: 2, eachHeavy: 1 }))
  for (const name of ['a1', 'a2']) void ask(name, { heavy: true })
  void ask('a3')
  void ask('a4')
  await new Promise(setImmediate)
  // Light work overtakes heavy work that has to wait.
  expect(got).toEqual(['a1', 'a3'])
  void ask('b1', { heavy: true })
  void ask('c1', { heavy: true })
  await new Promise(setImmediate)
  expect(got).toEqual(['a1', 'a3', 'b1'])
  await end('a3')
  // Both heavy places are taken; light work proceeds.
  expect(got).toEqual(['a1', 'a3', 'b1', 'a4'])
  await end('b1')
  expect(got.at(-1)).toBe('c1')
})

test('who waits is told why there is no place', async () => {
  const places = new Places({ size: 1 })
  const { ask } = desk(places)
  expect(await ask('a1')).toBeNull()
  expect(await ask('b1', { wait_ms: 1 })).toBe('late')
  const stop = new AbortController()
  const stopped = ask('b2', { signal: stop.signal })
  stop.abort()
  expect(await stopped).toBe('stopped')
  expect(await ask('b3', { signal: stop.signal })).toBe('stopped')
  const waiting = ask('b4')
  expect(places.waiting).toBe(1)
  places.close()
  expect(await waiting).toBe('closed')
  expect(await ask('b5')).toBe('closed')
  expect(places.waiting).toBe(0)
})
