import { describe, expect, test } from 'vitest'
import { understand } from './understand.ts'

const npm = { kind: 'npm', range: null, program: null, args: [], variables: [] }

describe('what an administrator names', () => {
  test.each([
    ['left-pad', { ...npm, name: 'left-pad' }],
    ['@scope/name@^1.2', { ...npm, name: '@scope/name', range: '^1.2' }],
    ['npm:name@latest', { ...npm, name: 'name', range: 'latest' }],
    ['npx -y @scope/name /srv', { ...npm, name: '@scope/name', args: ['/srv'] }],
    ['npx --package=tools@2 other --quick', { ...npm, name: 'tools', range: '2', program: 'other', args: ['--quick'] }],
    ['pypi:mcp-server-git', { kind: 'other', name: '', command: 'pypi:mcp-server-git' }],
    ['uvx mcp-server-git', { kind: 'other', name: '', command: 'uvx mcp-server-git' }],
    ['https://example.com/a.mcpb', { kind: 'address', url: 'https://example.com/a.mcpb' }],
    ['https://example.com/mcp', { kind: 'remote', name: '', url: 'https://example.com/mcp', token: '', headers: '' }],
  ])('%s', (text, server) => {
    expect(understand(text)).toEqual([{ name: '', server }])
  })

  test.each(['', 'two words', '../etc', '{', '{"mcpServers":{}}', 'https://', '@/x'])('nothing: %j', (text) => {
    expect(understand(text)).toEqual([])
  })

  test('a configuration with several servers', () => {
    const env = { GITHUB_TOKEN: '<your token>', REGION: 'eu', API_KEY: 'k-1' }
    const mcpServers = {
      one: { command: 'npx', args: ['-y', '@scope/one', 'stdio'], env },
      two: { command: 'uvx', args: ['two'] },
      three: {
        type: 'http',
        url: 'https://example.com/mcp',
        headers: { Authorization: 'Bearer t-1', 'X-Team': 'ops', 'X-Key': '${input:key}' },
      },
    }
    expect(understand(JSON.stringify({ mcpServers }))).toEqual([
      {
        name: 'one',
        server: {
          ...npm,
          name: '@scope/one',
          args: ['stdio'],
          variables: [
            { name: 'GITHUB_TOKEN', value: '', sensitive: true },
            { name: 'REGION', value: 'eu', sensitive: false },
            { name: 'API_KEY', value: 'k-1', sensitive: true },
          ],
        },
      },
      { name: 'two', server: { kind: 'other', name: 'two', command: 'uvx two' } },
      {
        name: 'three',
        server: {
          kind: 'remote',
          name: 'three',
          url: 'https://example.com/mcp',
          token: 't-1',
          headers: 'X-Team: ops\nX-Key: ',
        },
      },
    ])
  })
})
