import { describe, expect, test } from 'vitest'
import { argumentFields, type ArgumentField } from './argument-fields.ts'
import {
  argumentsOf,
  asJson,
  fieldIn,
  inFields,
  newArgumentsDraft,
  putBack,
  strayFields,
  withInstead,
  withText,
} from './arguments-draft.ts'

const fields = argumentFields({
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string' },
    limit: { type: 'integer', minimum: 1 },
    ratio: { type: 'number' },
    deep: { type: 'boolean' },
    level: { enum: [1, 2, 'auto'] },
    names: { type: 'array', items: { type: 'string' } },
    ports: { type: 'array', items: { type: 'integer' } },
    where: { type: 'object' },
    either: { type: ['string', 'integer'] },
    any: {},
  },
})
const named = (name: string): ArgumentField => fields.find((field) => field.name === name)!
const shown = (name: string, value: unknown) => {
  const { field, text } = fieldIn(newArgumentsDraft({ [name]: value }), named(name))
  return [field.kind, text]
}

describe('arguments in a form', () => {
  test.each([
    ['path', '/var/log', 'text', '/var/log'],
    ['path', 'two\nlines', 'text', 'two\nlines'],
    ['limit', 5, 'integer', '5'],
    ['ratio', 0.5, 'number', '0.5'],
    ['deep', false, 'boolean', 'false'],
    ['level', 2, 'choice', '2'],
    ['names', ['a', 'b c'], 'list', 'a\nb c'],
    ['ports', [80, 443], 'list', '80\n443'],
    ['where', { a: 'b' }, 'json', '{\n  "a": "b"\n}'],
    ['either', 'x', 'text', 'x'],
  ])('a field for “%s” holds %j', (name, value, kind, text) => {
    expect(shown(name, value)).toEqual([kind, text])
  })

  test.each([
    ['path', 5],
    ['path', ''],
    ['path', null],
    ['limit', '5'],
    ['deep', 'true'],
    ['level', '2'],
    ['names', []],
    ['names', ['a', '']],
    ['names', ['a\nb']],
    ['names', ['a', { $param: 'b' }]],
    ['ports', ['80']],
    ['either', 5],
    ['any', 'x'],
    ['any', { a: [1] }],
  ])('what a field for “%s” cannot hold as it is, %j, keeps its JSON', (name, value) => {
    expect(shown(name, value)).toEqual(['json', JSON.stringify(value, null, 2)])
    expect(argumentsOf(newArgumentsDraft({ [name]: value }))).toEqual({ [name]: value })
  })

  test('typing changes one argument and leaves the others exactly as they were', () => {
    const before = newArgumentsDraft({ either: 5, stray: [1], path: '' })
    const after = withText(withText(before, named('limit'), '7'), named('names'), 'a\n')
    expect(argumentsOf(after)).toEqual({ either: 5, stray: [1], path: '', limit: 7, names: ['a'] })
    expect(fieldIn(after, named('names')).text).toBe('a\n')
    expect(argumentsOf(withText(after, named('limit'), ''))).toEqual({ either: 5, stray: [1], path: '', names: ['a'] })
    expect(strayFields(after, fields).map(({ name }) => name)).toEqual(['stray'])
  })

  test('what is no value keeps the whole from being sent, and stands in the JSON as it was typed', () => {
    const draft = withText(newArgumentsDraft({ deep: true }), named('limit'), 'ten')
    expect(argumentsOf(draft)).toBeNull()
    expect(fieldIn(draft, named('limit')).text).toBe('ten')
    const json = asJson(draft)
    expect(argumentsOf(json)).toEqual({ deep: true, limit: 'ten' })
    // And is there to be put right in the form again.
    expect(fieldIn(inFields(json)!, named('limit'))).toMatchObject({ field: { kind: 'json' }, text: '"ten"' })
    expect(inFields({ ...json, json: '{"limit": ' })).toBeNull()
    expect(argumentsOf({ ...json, json: '[]' })).toBeNull()
    expect(argumentsOf({ ...json, json: ' ' })).toEqual({})
  })

  test('a field that is edited as JSON stays so while it is typed in', () => {
    const draft = withText(newArgumentsDraft({ path: 5 }), named('path'), '"five"')
    expect(fieldIn(draft, named('path'))).toMatchObject({ field: { kind: 'json' }, text: '"five"' })
    expect(argumentsOf(draft)).toEqual({ path: 'five' })
    expect(argumentsOf(withText(draft, named('path'), '"fi'))).toBeNull()
  })

  test('something else takes the place of a value, which comes back', () => {
    const typed = withText(newArgumentsDraft({}), named('limit'), 'ten')
    const instead = withInstead(typed, named('limit'), { $param: 'limit' })
    expect(argumentsOf(instead)).toEqual({ limit: { $param: 'limit' } })
    const back = putBack(instead, named('limit'))
    expect(fieldIn(back, named('limit')).text).toBe('ten')
    expect(argumentsOf(back)).toBeNull()
    expect(argumentsOf(putBack(newArgumentsDraft({ path: { $param: 'x' } }), named('path')))).toEqual({})
    const odd = { ...named('path'), name: 'constructor' }
    expect(argumentsOf(putBack(newArgumentsDraft({ constructor: 1 }), odd))).toEqual({})
  })
})
