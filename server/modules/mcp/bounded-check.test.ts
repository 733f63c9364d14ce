import { expect, test } from 'vitest'
import { boundedCheck } from './bounded-check.ts'

const evil = { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } }

test('a check that takes too long is broken off, and the next one works', () => {
  const check = boundedCheck(evil, 'input schema', 100)
  const from = performance.now()
  expect(check({ x: `${'a'.repeat(60)}!` })).toBe(
    "The tool's input schema cannot be used: it takes longer than 100 ms.",
  )
  expect(performance.now() - from).toBeLessThan(2000)
  expect(check({ x: 'aaa' })).toBeNull()
  expect(check({ x: 'b' })).toBe('"x" must match pattern "^(a+)+$".')
})

test('a schema that cannot be compiled is a sentence, every time', () => {
  const check = boundedCheck({ type: 'object', properties: { x: { pattern: '(' } } }, 'output schema', 1000)
  for (let i = 0; i < 2; i++)
    expect(check({ x: 'y' })).toMatch(/^The tool's output schema cannot be used: Invalid regular/)
})

test('bounds as draft 4 wrote them are bounds, and arguments with their names are arguments', () => {
  const check = boundedCheck(
    {
      type: 'object',
      properties: {
        pages: { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        exclusiveMinimum: true,
      },
    },
    'input schema',
    1000,
  )
  expect(check({ pages: 9, exclusiveMinimum: 'x' })).toBeNull()
  expect(check({ pages: 0 })).toBe('"pages" must be > 0.')
  expect(check({ pages: 10 })).toBe('"pages" must be <= 9.')
})
