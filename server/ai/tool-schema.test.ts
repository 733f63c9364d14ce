import { describe, expect, it } from 'vitest'
import { toolNames } from './tool-names.ts'
import { toolSchema } from './tool-schema.ts'

describe('toolSchema', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['nothing', {}, { type: 'object', properties: {} }],
    [
      'dialect keywords, but not properties of the same name',
      {
        $schema: 'x',
        $id: 'y',
        type: 'object',
        properties: { $schema: { $comment: 'z' }, id: { type: 'string', examples: [1] } },
      },
      { type: 'object', properties: { $schema: {}, id: { type: 'string' } } },
    ],
    [
      'arrays without items',
      { properties: { a: { type: 'array' }, b: { type: ['array', 'null'] } } },
      { type: 'object', properties: { a: { type: 'array', items: {} }, b: { type: ['array', 'null'], items: {} } } },
    ],
    [
      'tuples',
      {
        properties: {
          a: { type: 'array', items: [{ type: 'string' }, { const: 1 }] },
          b: { type: 'array', prefixItems: [{ type: 'string' }] },
        },
      },
      {
        type: 'object',
        properties: {
          a: { type: 'array', items: { anyOf: [{ type: 'string' }, { enum: [1] }] } },
          b: { type: 'array', items: { anyOf: [{ type: 'string' }] } },
        },
      },
    ],
    [
      'draft 4 bounds and draft 3 required',
      {
        properties: {
          a: {
            type: 'integer',
            minimum: 1,
            exclusiveMinimum: true,
            maximum: 9,
            exclusiveMaximum: false,
            required: true,
          },
        },
      },
      { type: 'object', properties: { a: { type: 'integer', exclusiveMinimum: 1, maximum: 9 } } },
    ],
    [
      'alternatives at the top',
      {
        anyOf: [
          { properties: { a: {}, b: {} }, required: ['a', 'b'] },
          { properties: { b: {} }, required: ['b'] },
        ],
        properties: { c: {} },
        required: ['c'],
        additionalProperties: false,
      },
      { type: 'object', properties: { a: {}, b: {}, c: {} }, required: ['c', 'b'] },
    ],
    [
      'allOf at the top',
      { allOf: [{ properties: { a: {} }, required: ['a'] }, { properties: { b: {} } }] },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a'] },
    ],
    [
      'a reference at the top',
      {
        $ref: '#/definitions/In',
        definitions: { In: { type: 'object', properties: { a: { $ref: '#/definitions/B' } } }, B: { type: 'string' } },
      },
      {
        type: 'object',
        properties: { a: { $ref: '#/definitions/B' } },
        definitions: { In: { type: 'object', properties: { a: { $ref: '#/definitions/B' } } }, B: { type: 'string' } },
      },
    ],
  ])('%s', (_name, given, expected) => {
    const before = JSON.stringify(given)
    expect(toolSchema(given)).toEqual(expected)
    expect(JSON.stringify(given)).toBe(before)
  })
})

describe('toolNames', () => {
  it('gives every tool a valid name of its own and finds back from it', () => {
    const names = [
      'a.b',
      'a__b',
      'a.b.c',
      '1st.tool',
      'mod.über',
      'mod.uber',
      `m.${'x'.repeat(200)}`,
      `m.${'x'.repeat(201)}`,
      '__proto__',
      'constructor.x',
    ]
    const table = toolNames(names)
    const safe = names.map((name) => table.safe(name))
    expect(new Set(safe).size).toBe(names.length)
    for (const name of safe) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
    expect(safe.map((name) => table.meant(name)?.name)).toEqual(names)
    expect(safe[0]).toBe('a__b')
    expect(table.meant('invented')).toBeNull()
    expect(table.meant('toString')).toBeNull()
  })

  it('names the same tool alike in every request', () => {
    expect(toolNames([`m.${'x'.repeat(200)}`]).safe(`m.${'x'.repeat(200)}`)).toBe(
      toolNames([]).safe(`m.${'x'.repeat(200)}`),
    )
  })
})
