import { expect, test } from 'vitest'
import { z } from 'zod'
import { json, route } from '../../contract/route.ts'
import { loadedAtFirst } from './loaded-at-first.ts'

const answer = { access: 'public', permissions: [], response: json(z.string()), errors: [] } as const
const group = {
  one: route({ ...answer, method: 'GET', path: '/one', summary: 'One' }),
  two: route({ ...answer, method: 'GET', path: '/two', summary: 'Two' }),
}
const input = {} as never

test('requests at once load the handlers once, and the next ones use them', async () => {
  let loads = 0
  const handlers = loadedAtFirst(group, () => {
    loads++
    return Promise.resolve({ one: () => 'first', two: () => 'second' })
  })
  expect(loads).toBe(0)
  expect(await Promise.all([handlers.one(input), handlers.two(input), handlers.one(input)])).toEqual([
    'first',
    'second',
    'first',
  ])
  expect(await handlers.two(input)).toBe('second')
  expect(loads).toBe(1)
})

test('a failure to load is that of the requests that waited for it; the next one tries again', async () => {
  let loads = 0
  const handlers = loadedAtFirst(group, () =>
    ++loads === 1
      ? Promise.reject(new Error('a file is gone'))
      : Promise.resolve({ one: () => 'first', two: () => 'second' }),
  )
  const failed = await Promise.allSettled([handlers.one(input), handlers.two(input)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await handlers.one(input)).toBe('first')
  expect(loads).toBe(2)
})
