import { describe, expect, test } from 'vitest'
import { argumentFields } from '../arguments/argument-fields.ts'
import { paramFor, suits } from './param-for-field.ts'
import type { ParamTest } from '../../contract/procedure-values.ts'
import { toParam } from './param-kinds.ts'

const fields = argumentFields({
  type: 'object',
  properties: {
    host: { type: 'string' },
    unit: { type: 'string', title: 'Service' },
    url: { type: 'string', format: 'uri' },
    lines: { type: 'integer', minimum: 1, maximum: 9007199254740991, default: 100 },
    ratio: { type: 'number' },
    deep: { type: 'boolean' },
    state: { enum: ['all', 'failed'] },
    names: { type: 'array', items: { type: 'string' } },
    ports: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65535 } },
    signals: { type: 'array', items: { enum: ['TERM', 'KILL'] } },
    where: { type: 'object' },
    token: { type: 'string', format: 'password' },
    any: {},
    'X-Api.Version': { type: 'string' },
  },
})

function made(name: string, value: unknown, others: { name: string; title: string }[] = []) {
  const param = paramFor(
    'system.x',
    fields.find((field) => field.name === name)!,
    value,
    others,
  )
  return param === null ? null : toParam(param)
}

describe('a parameter from a value', () => {
  test.each([
    ['host', 'web-1', { test: { hosts: ['#all'] }, preset: 'web-1' }],
    ['unit', 'nginx', { title: 'Service', test: { any: true }, preset: 'nginx' }],
    ['unit', '--now', { test: { in: ['--now'] }, preset: '--now' }],
    ['unit', '5', { test: { any: true }, preset: '5' }],
    ['url', 'https://example.com:8443/a', { test: { host: ['example.com:8443'] } }],
    ['lines', 5, { test: { min: 1 }, preset: 5 }],
    // What applies when nothing is given is an example, too.
    ['lines', undefined, { test: { min: 1 }, preset: 100 }],
    ['ratio', -0.5, { test: { min: -0.5 }, preset: -0.5 }],
    ['deep', false, { test: { in: [true, false] }, preset: false }],
    ['state', 'failed', { test: { in: ['all', 'failed'] }, preset: 'failed' }],
    ['names', ['a', 'b'], { test: { each: { in: ['a', 'b'] } }, preset: ['a', 'b'] }],
    ['ports', [80], { test: { each: { min: 1, max: 65535 } }, preset: [80] }],
    ['signals', ['TERM'], { test: { each: { in: ['TERM', 'KILL'] } }, preset: ['TERM'] }],
    ['any', 5, { test: { min: 0 }, preset: 5 }],
    ['X-Api.Version', 'v1', { name: 'x_api_version', test: { any: true } }],
  ])('of “%s”: %j', (name, value, expected) => {
    expect(made(name, value)).toMatchObject(expected)
  })

  test.each([
    ['token', 'secret'],
    ['where', { a: 1 }],
    ['unit', 'two\nlines'],
    ['unit', ''],
    ['names', []],
    ['names', undefined],
    ['any', undefined],
    ['unit', undefined],
    ['ratio', undefined],
  ])('is none of “%s”: %j', (name, value) => {
    expect(made(name, value)).toBeNull()
  })

  test('has a name and a title of its own', () => {
    const others = [
      { name: 'unit', title: 'Unit' },
      { name: 'other', title: 'Service 2' },
    ]
    expect(made('unit', 'nginx', others)).toMatchObject({ name: 'unit_3', title: 'Service 3' })
  })

  const TESTS: Record<string, ParamTest> = {
    machine: { hosts: ['#all'] },
    word: { any: true },
    number: { min: 0 },
    switch: { in: [true, false] },
    state: { in: ['failed'] },
    words: { each: { in: ['a'] } },
  }
  test.each([
    ['unit', ['machine', 'word', 'state']],
    ['lines', ['number']],
    ['deep', ['switch']],
    ['state', ['state']],
    ['names', ['words']],
    ['where', Object.keys(TESTS)],
    ['any', Object.keys(TESTS)],
  ])('is offered in the place of “%s” only if it is of its type', (name, expected) => {
    const field = fields.find((one) => one.name === name)!
    expect(Object.keys(TESTS).filter((one) => suits(field, { test: TESTS[one]! }))).toEqual(expected)
  })
})
