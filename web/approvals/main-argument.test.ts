import { expect, test } from 'vitest'
import { argumentsInShort, mainArgument } from './main-argument.ts'

test.each([
  [{ command: 'sync', args: ['--file-system', '/a b'] }, "sync --file-system '/a b'", ['command', 'args']],
  [{ command: 'echo "x" >> y', shell: true }, 'echo "x" >> y', ['command']],
  [{ command: 'x', args: ["it's"] }, `x 'it'\\''s'`, ['command', 'args']],
  [{ method: 'POST', url: 'https://example.com', body: 'x' }, 'POST https://example.com', ['url', 'method']],
  [{ database: 'main', sql: 'select 1' }, 'select 1', ['sql']],
  [{ anything: 'alone' }, 'alone', ['anything']],
])('%j is about its command or thing', (given, text, names) => expect(mainArgument(given)).toEqual({ text, names }))

test.each([
  {},
  { pid: 42 },
  { pid: 42, signal: 'TERM' },
  { a: 'x', b: 'y' },
  { command: '' },
  { sql: { nested: true } },
  { list: ['x'] },
])('nothing stands out in %j', (given) => expect(mainArgument(given)).toBeNull())

test.each([
  [{ unit: 'nginx.service', path: '/x' }, 'unit', 'nginx.service'],
  [{ pid: 42, signal: 'TERM' }, 'pid', '42'],
  // Named, but not given, or nothing that fits a line: as if it had not been named.
  [{ path: '/x', limit: 3 }, 'unit', '/x'],
  [{ unit: ['a'], path: '/x' }, 'unit', '/x'],
])('%j is about what its tool names, %s', (given, named, text) => {
  expect(mainArgument(given, named)?.text).toBe(text)
  expect(argumentsInShort({ arguments: given, main_argument: named }).startsWith(text)).toBe(true)
})

test('in short: the main one first, cut where a line ends', () => {
  const given = { limit: 5, sql: 'select 1', plain: false }
  expect(argumentsInShort({ arguments: given })).toBe('select 1  limit=5  plain=false')
  expect(argumentsInShort({ arguments: given, usual_arguments: ['plain'] })).toBe('select 1  limit=5')
  expect(argumentsInShort({ arguments: { text: 'x'.repeat(5000) } })).toHaveLength(200)
})
