import { expect, test } from 'vitest'
import { definitionTokens } from './token-estimate.ts'
import { toldSchema } from './told-schema.ts'

const text = (more: object = {}) => ({ type: 'string', ...more })

test('a schema is told without what says nothing to a model', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      name: text({ minLength: 1, maxLength: 300, description: 'Its name' }),
      tag: text({ minLength: 2, maxLength: 20, pattern: '^[a-z]+$' }),
      days: { type: 'array', maxItems: 7, items: text({ maxLength: 200 }) },
      all: {
        type: 'array',
        maxItems: 1000,
        minItems: 1,
        items: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER, minimum: 0 },
      },
      either: {
        anyOf: [
          { anyOf: [text({ maxLength: 9000 }), { type: 'number' }] },
          { anyOf: [{ type: 'null' }], description: 'none' },
        ],
      },
      map: { type: 'object', propertyNames: text({ minLength: 1 }), additionalProperties: text({ maxLength: 500 }) },
      // Names of arguments are no keywords, nor are values.
      maxLength: { type: 'integer', default: { $schema: 1, maxItems: 1000 }, enum: [1, { minLength: 1 }] },
      additionalProperties: false,
    },
    required: ['name'],
    additionalProperties: false,
  }
  expect(toldSchema(schema)).toEqual({
    type: 'object',
    properties: {
      name: text({ description: 'Its name' }),
      tag: text({ minLength: 2, maxLength: 20, pattern: '^[a-z]+$' }),
      days: { type: 'array', maxItems: 7, items: text() },
      all: { type: 'array', minItems: 1, items: { type: 'integer', minimum: 0 } },
      either: { anyOf: [text(), { type: 'number' }, { anyOf: [{ type: 'null' }], description: 'none' }] },
      map: { type: 'object', additionalProperties: text() },
      maxLength: { type: 'integer', default: { $schema: 1, maxItems: 1000 }, enum: [1, { minLength: 1 }] },
      additionalProperties: false,
    },
    required: ['name'],
  })
  expect(toldSchema(schema)).toBe(toldSchema(schema))
})

test('what it takes is counted as it is told', () => {
  const about = { name: 'a.b', description: 'Does it.' }
  const bare = { type: 'object', properties: { name: text() } }
  const full = { ...bare, properties: { name: text({ maxLength: 300 }) }, additionalProperties: false }
  expect(definitionTokens({ ...about, input_schema: full })).toBe(definitionTokens({ ...about, input_schema: bare }))
})
