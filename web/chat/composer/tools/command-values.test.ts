import { describe, expect, test } from 'vitest'
import { argumentFields } from '../../../arguments/argument-fields.ts'
import { readCommand, withoutEmptyLines, writeCommand } from './command-values.ts'

const fields = argumentFields({
  type: 'object',
  required: ['path'],
  properties: {
    limit: { type: ['integer', 'null'], default: 10 },
    deep: { type: 'boolean', default: false },
    order: { enum: ['name', 'size'], description: 'How to sort' },
    names: { type: 'array', items: { type: 'string' } },
    ports: { type: 'array', items: { type: 'integer' } },
    where: { type: 'object', properties: { a: { type: 'string' } } },
    path: { type: 'string', description: 'Where to look' },
    token: { type: 'string', format: 'password' },
    any: {},
  },
})
const write = (values: Record<string, string>) => writeCommand('files.find', fields, values)
const read = (text: string) => readCommand(text, fields)

describe('the form of a tool', () => {
  test('has a field for each argument of the schema, required ones first', () => {
    expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['path', 'text', true],
      ['limit', 'integer', false],
      ['deep', 'boolean', false],
      ['order', 'choice', false],
      ['names', 'list', false],
      ['ports', 'list', false],
      ['where', 'json', false],
      ['token', 'secret', false],
      ['any', 'text', false],
    ])
    expect(fields.find(({ name }) => name === 'limit')?.fallback).toBe('10')
    expect(fields.find(({ name }) => name === 'order')?.choices).toEqual(['name', 'size'])
    expect(argumentFields({})).toEqual([])
  })

  test.each([
    [{ path: '/var/log' }, '/files.find path=/var/log'],
    [{ path: 'two words', limit: '5' }, '/files.find path="two words" limit=5'],
    [{ path: 'C:\\new "folder"' }, '/files.find path="C:\\\\new \\"folder\\""'],
    [{ path: '"quoted"', deep: 'true' }, '/files.find path="\\"quoted\\"" deep=true'],
    [{ path: ' edges ' }, '/files.find path=" edges "'],
    [{ path: 'a\nb' }, '/files.find path="a\nb"'],
    [{ names: 'one\ntwo words' }, '/files.find names=["one","two words"]'],
    [{ ports: '80\n443' }, '/files.find ports=[80,443]'],
    [{ where: '{ "a": "x y" }' }, '/files.find where={ "a": "x y" }'],
    [{ where: '{ "a": ' }, '/files.find where="{ \\"a\\": "'],
    [{ path: '{' }, '/files.find path="{"'],
    [{ any: 'x=y' }, '/files.find any=x=y'],
    [{}, '/files.find '],
  ])('writes %j as %j, and reads it again', (values, text) => {
    expect(write(values)).toBe(text)
    expect(read(text)).toEqual(values)
  })

  test('reads what people type', () => {
    expect(read('/files.find')).toEqual({})
    expect(read('/files.find /var/log')).toEqual({ path: '/var/log' })
    expect(read('/files.find /var/my logs')).toEqual({ path: '/var/my logs' })
    expect(read('/files.find names=a names=b')).toEqual({ names: 'a\nb' })
    expect(read('/files.find {"path": "x", "limit": 5, "names": ["a", "b"], "where": {"a": "b"}}')).toEqual({
      path: 'x',
      limit: '5',
      names: 'a\nb',
      where: '{"a":"b"}',
    })
  })

  test('shows nothing rather than half of it', () => {
    for (const typed of [
      'path="open',
      'nothing=1',
      'path=a path=b',
      'path=a b',
      '{"path"',
      'names=["a\\nb"]',
      'path=""',
    ])
      expect([typed, read(`/files.find ${typed}`)]).toEqual([typed, null])
  })

  test('sends lists without the empty lines of typing', () => {
    expect(read(write({ names: 'a\n' }))).toEqual({ names: 'a\n' })
    expect(withoutEmptyLines(fields, { names: 'a\n\nb\n', path: '\n' })).toEqual({ names: 'a\nb', path: '\n' })
  })
})
