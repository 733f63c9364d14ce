import { expect, test } from 'vitest'
import { fillDefaults } from './fill-defaults.ts'

const fill = (schema: object, input: Record<string, unknown>) => fillDefaults(schema, 1000)(input)
const of = (properties: object) => ({ type: 'object', properties })

test.each<[string, object, Record<string, unknown>, unknown]>([
  ['a default', of({ a: { default: 1 } }), {}, { a: 1 }],
  ['one that is given', of({ a: { default: 1 } }), { a: 2 }, { a: 2 }],
  ['one below another', of({ a: { default: {}, properties: { b: { default: 1 } } } }), {}, { a: { b: 1 } }],
  ['one that does not fit: nothing is filled in', of({ a: { type: 'string', default: 1 }, b: { default: 2 } }), {}, {}],
  ['no schema with defaults', of({ a: {} }), { a: -0, b: Infinity }, { a: 0, b: null }],
  ['a name of the prototype', of({ constructor: { default: 1 } }), {}, {}],
])('%s', (_what, schema, input, expected) => {
  const before = structuredClone(input)
  expect(fill(schema, input)).toEqual(expected)
  expect(input).toEqual(before)
})

test('a schema whose defaults never end fills in nothing', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node', default: {} } } }
  expect(fill({ ...node, $defs: { node } }, {})).toEqual({})
})

test('defaults that would grow beyond all bounds are left out', () => {
  const schema = of({ list: { items: { properties: { x: { default: 'x'.repeat(50_000) } } } } })
  const list = Array.from({ length: 1000 }, () => ({}))
  expect(fill(schema, { list })).toEqual({ list })
  expect(fill(schema, { list: [{}] })).not.toEqual({ list: [{}] })
})
