import { expect, test } from 'vitest'
import { headerProblem } from './header-parameters.ts'

const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const header = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name })

test.each<[string, object, RegExp | null]>([
  ['none', schema({ a: { type: 'string' } }), null],
  ['one', schema({ a: header('Region'), b: header('Count', 'integer') }), null],
  ['a nested one', schema({ a: schema({ b: header('Region') }) }), null],
  ['an argument of that name', schema({ 'x-mcp-header': { type: 'string' } }), null],
  ['an empty one', schema({ a: header('') }), /name of a header/],
  ['one that is no token', schema({ a: header('a b') }), /name of a header/],
  ['one with a line break', schema({ a: header('a\r\nb') }), /name of a header/],
  ['one that is no text', schema({ a: header(7) }), /name of a header/],
  ['a number', schema({ a: header('N', 'number') }), /only possible for/],
  ['an object', schema({ a: header('O', 'object') }), /only possible for/],
  ['the same twice', schema({ a: header('Region'), b: header('region') }), /two arguments/],
  ['one in a list', schema({ a: { type: 'array', items: header('I') } }), /not allowed in that place/],
  ['one in an alternative', schema({}, { anyOf: [schema({ a: header('A') })] }), /not allowed in that place/],
  ['one of the whole', { ...schema({}), 'x-mcp-header': 'X' }, /not allowed in that place/],
])('%s', (_what, wanted, problem) => {
  if (problem === null) expect(headerProblem(wanted)).toBeNull()
  else expect(String(headerProblem(wanted))).toMatch(problem)
})
