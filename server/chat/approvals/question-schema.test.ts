import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkAnswers } from '../../../contract/check-answers.ts'
import { Question } from '../../../contract/questions.ts'
import { readQuestionSchema } from './question-schema.ts'

const field = (definition: unknown) =>
  readQuestionSchema({ type: 'object', properties: { a: definition } })?.properties['a']

test.each([
  [
    { type: 'string', enum: ['x', 'y'] },
    {
      oneOf: [
        { const: 'x', title: 'x' },
        { const: 'y', title: 'y' },
      ],
    },
  ],
  [{ type: 'string', oneOf: [{ const: 'x', title: 'X' }] }, { oneOf: [{ const: 'x', title: 'X' }] }],
  [{ type: 'array', items: { type: 'string', enum: ['x'] } }, { items: { anyOf: [{ const: 'x', title: 'x' }] } }],
  [
    { type: 'string', format: 'hostname', pattern: '(a+)+$' },
    { type: 'string', maxLength: 10_000 },
  ],
  [{ type: 'string', maxLength: 1e9 }, { maxLength: 10_000 }],
  [{ type: 'boolean', title: '' }, { title: 'a' }],
])('%j is written as the page knows it', (given, written) => expect(field(given)).toMatchObject(written))

test.each([
  { type: 'integer', default: 1.5 },
  { type: 'integer', maximum: 5, default: 9 },
  { type: 'string', enum: ['x'], default: 'y' },
  { type: 'array', items: { enum: ['x'] }, default: ['x', 'x'] },
  { type: 'string', format: 'date', default: '2026-02-30' },
])('a default that does not fit is dropped: %j', (given) => expect(field(given)).not.toHaveProperty('default'))

test.each([
  { type: 'null' },
  { type: ['string', 'null'] },
  { type: 'string', enum: [] },
  { type: 'string', enum: [1] },
  { type: 'string', oneOf: [{ const: 'a\u200bb', title: 'ab' }] },
  { type: 'array', items: { type: 'string' } },
  { type: 'array', items: { anyOf: [{ type: 'string' }] } },
  { $ref: 'https://example.com/schema' },
])('is not put before a person: %j', (given) => expect(field(given)).toBeUndefined())

test('names that a person cannot see, or that an object does not take, are refused', () => {
  for (const name of ['', 'a\u202eb', '__proto__', 'x'.repeat(101)]) {
    const properties = JSON.parse(`{${JSON.stringify(name)}: {"type": "boolean"}}`) as object
    expect(readQuestionSchema({ type: 'object', properties })).toBeNull()
  }
  expect(readQuestionSchema({ type: 'object', properties: {}, required: ['ghost'] })).toBeNull()
})

test('whatever is given: nothing is thrown, and what comes out is what the contract says', () => {
  const keywords = fc.record(
    {
      type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object'),
      title: fc.oneof(fc.string(), fc.integer()),
      enum: fc.array(fc.oneof(fc.string(), fc.integer())),
      items: fc.record({ enum: fc.array(fc.string()) }, { requiredKeys: [] }),
      minLength: fc.integer(),
      minimum: fc.double(),
      default: fc.jsonValue(),
    },
    { requiredKeys: ['type'] },
  )
  const schemas = fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(fc.string(), fc.oneof(keywords, fc.jsonValue())),
  })
  fc.assert(
    fc.property(fc.oneof(schemas, fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (given, values) => {
      const schema = readQuestionSchema(given)
      if (schema === null) return
      expect(Question.safeParse({ message: '', schema, url: null }).error).toBeUndefined()
      expect(() => checkAnswers(schema, values)).not.toThrow()
      for (const [name, { default: value }] of Object.entries(schema.properties))
        if (value !== undefined) expect(checkAnswers({ ...schema, required: [] }, { [name]: value })).toEqual([])
    }),
    { numRuns: 500 },
  )
})
