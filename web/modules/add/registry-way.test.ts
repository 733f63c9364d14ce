import { expect, test } from 'vitest'
import type { RegistryWay } from '../../../contract/module-registry.ts'
import { understoodWay } from './registry-way.ts'

const setting = { description: '', required: false, secret: false, default: null, choices: [] }
const argument = {
  flag: null,
  value: null,
  fixed: false,
  hint: 'folder',
  description: '',
  required: false,
  secret: false,
  choices: [],
  repeated: false,
}
const understood = (way: RegistryWay) => understoodWay({ title: 'One' }, way)

test('a package with what it is started with; what is needed and not known stands in brackets', () => {
  const way: RegistryWay = {
    kind: 'npm',
    name: '@example/one',
    version: '1.2.3',
    settings: [
      { ...setting, name: 'KEY', secret: true, description: 'Its key' },
      { ...setting, name: 'MODE', default: 'fast', choices: ['fast', 'slow'] },
    ],
    arguments: [
      { ...argument, value: 'stdio', fixed: true },
      { ...argument, flag: '--root', required: true },
      { ...argument, flag: '--more' },
    ],
  }
  expect(understood(way)).toEqual({
    kind: 'npm',
    name: '@example/one',
    range: '1.2.3',
    program: null,
    args: ['stdio', '--root', '<folder>'],
    variables: [
      { name: 'KEY', value: '', sensitive: true, hint: 'Its key' },
      { name: 'MODE', value: 'fast', sensitive: false, choices: ['fast', 'slow'] },
    ],
  })
})

test('a bundle keeps its digest; an address the headers that it needs', () => {
  const sha256 = 'f'.repeat(64)
  expect(understood({ kind: 'mcpb', url: 'https://files.example/a', sha256 })).toEqual({
    kind: 'address',
    url: 'https://files.example/a',
    sha256,
  })
  const settings = [
    { ...setting, name: 'Authorization', required: true, secret: true },
    { ...setting, name: 'X-Team', required: true },
    { ...setting, name: 'X-Mode', default: 'fast' },
    { ...setting, name: 'X-More' },
  ]
  expect(understood({ kind: 'remote', url: 'https://mcp.example/', settings })).toEqual({
    kind: 'remote',
    name: 'One',
    url: 'https://mcp.example/',
    token: '',
    headers: 'X-Team: \nX-Mode: fast',
  })
})

test('a long title is cut where a character ends', () => {
  const named = (title: string) => {
    const server = understoodWay({ title }, { kind: 'remote', url: 'https://mcp.example/', settings: [] })
    return server.kind === 'remote' ? server.name : null
  }
  expect(named(`${'x'.repeat(79)}y`)).toBe(`${'x'.repeat(79)}y`)
  expect(named(`${'x'.repeat(79)}😀`)).toBe('x'.repeat(79))
  expect(named(`${'x'.repeat(70)}👩‍👩‍👧‍👦 more`)).toBe('x'.repeat(70))
})

test('what only stands for the value of a variable is left to be entered', () => {
  const settings = [
    { ...setting, name: 'ROOT', default: '{root}' },
    { ...setting, name: 'URL', default: 'https://{host}/' },
  ]
  expect(understood({ kind: 'npm', name: 'one', version: null, settings, arguments: [] })).toMatchObject({
    variables: [{ value: '' }, { value: 'https://{host}/' }],
  })
})
