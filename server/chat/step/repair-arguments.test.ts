import { expect, test } from 'vitest'
import { repairArguments } from './repair-arguments.ts'

const NOT: Record<string, unknown>[] = [
  { type: 'string' },
  { type: ['string', 'number'] },
  { enum: ['a', 'b'] },
  { const: 'a' },
]
const MAY: Record<string, unknown>[] = [
  {},
  { description: 'Anything.' },
  { type: 'null' },
  { type: ['string', 'null'] },
  { type: 'string', nullable: true },
  { enum: ['a', null] },
  { const: null },
  { anyOf: [{ type: 'string' }, { type: 'null' }] },
  { $ref: '#/$defs/it' },
  { allOf: [{ minimum: 1 }] },
  { not: { type: 'string' } },
]
const filledIn = (schema: Record<string, unknown>, more = {}) =>
  repairArguments({ type: 'object', properties: { it: schema, n: { type: 'integer' } }, ...more }, { it: null, n: '1' })

test.each(NOT)('null is left out where it cannot be meant: %j', (schema) => {
  expect(filledIn(schema)).toEqual({ n: 1 })
})

test.each(MAY)('but stays where the schema may take it: %j', (schema) => {
  expect(filledIn(schema)).toEqual({ it: null, n: 1 })
})

test('and where something must be given', () => {
  expect(filledIn({ type: 'string' }, { required: ['it'] })).toEqual({ it: null, n: 1 })
})
