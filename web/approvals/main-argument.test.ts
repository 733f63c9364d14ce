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

test('in short: the main one first, cut where a line ends', () => {
  expect(argumentsInShort({ limit: 5, sql: 'select 1' })).toBe('select 1  limit=5')
  expect(argumentsInShort({ text: 'x'.repeat(5000) })).toHaveLength(200)
})
