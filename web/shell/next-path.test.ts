import { expect, test } from 'vitest'
import { nextPath } from './next-path.ts'

const origin = 'https://reeve.example'

test.each([
  ['/approvals', '/approvals'],
  ['/chat?c=cnv_1#end', '/chat?c=cnv_1#end'],
])('goes to our own path %s', (next, expected) => {
  expect(nextPath(next, origin)).toBe(expected)
})

test.each([
  undefined,
  '',
  'approvals',
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n//evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  'javascript:alert(1)',
  '/login?next=/login',
  '/setup',
])('does not follow %j', (next) => {
  expect(nextPath(next, origin)).toBe('/')
})
