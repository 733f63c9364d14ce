import { describe, expect, test } from 'vitest'
import { hasBlanks, understand } from './understand.ts'

const pypi = { kind: 'pypi', range: null, program: null, args: [], variables: [] }
const npm = { kind: 'npm', range: null, program: null, args: [], variables: [] }

describe('what an administrator names', () => {
  test.each([
    ['left-pad', { ...npm, name: 'left-pad' }],
    ['@scope/name@^1.2', { ...npm, name: '@scope/name', range: '^1.2' }],
    ['npm:name@latest', { ...npm, name: 'name', range: 'latest' }],
    ['npx -y @scope/name /srv', { ...npm, name: '@scope/name', args: ['/srv'] }],
    ['npx --package=tools@2 other --quick', { ...npm, name: 'tools', range: '2', program: 'other', args: ['--quick'] }],
    ['pypi:mcp-server-git', { ...pypi, name: 'mcp-server-git' }],
    ['pypi:server[fast]>=1,<2', { ...pypi, name: 'server[fast]', range: '>=1,<2' }],
    ['uvx --python 3.12 mcp-server-git@1.2 --all', { ...pypi, name: 'mcp-server-git', range: '1.2', args: ['--all'] }],
    ['uvx --from=tools==2 other', { ...pypi, name: 'tools', range: '==2', program: 'other' }],
    ['uv tool run server', { ...pypi, name: 'server' }],
    ['pipx run --spec tools other', { ...pypi, name: 'tools', program: 'other' }],
    ['uvx --with more server', { kind: 'other', name: '', command: 'uvx --with more server' }],
    [
      'uvx --from git+https://x.example/a a',
      { kind: 'other', name: '', command: 'uvx --from git+https://x.example/a a' },
    ],
    ['docker run box', { kind: 'other', name: '', command: 'docker run box' }],
    ['https://example.com/a.mcpb', { kind: 'address', url: 'https://example.com/a.mcpb' }],
    ['https://example.com/mcp', { kind: 'remote', name: '', url: 'https://example.com/mcp', token: '', headers: '' }],
  ])('%s', (text, server) => {
    expect(understand(text)).toEqual([{ name: '', server }])
  })

  test.each(['', 'two words', '../etc', '{', '{"mcpServers":{}}', 'https://', '@/x'])('nothing: %j', (text) => {
    expect(understand(text)).toEqual([])
  })

  test('a configuration with several servers', () => {
    const env = { GITHUB_TOKEN: '<your token>', REGION: 'eu', API_KEY: 'k-1', URL: '{url}', SHAPE: '{"a":1}' }
    const mcpServers = {
      one: { command: 'npx', args: ['-y', '@scope/one', 'stdio'], env },
      two: { command: '/usr/bin/uvx', args: ['two'] },
      four: { command: '/opt/four', args: ['--quick'] },
      three: {
        type: 'http',
        url: 'https://example.com/mcp',
        headers: { Authorization: 'Bearer t-1', 'X-Team': 'ops', 'X-Key': '${input:key}', 'X-Id': '{id}' },
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
            { name: 'URL', value: '', sensitive: false },
            { name: 'SHAPE', value: '{"a":1}', sensitive: false },
          ],
        },
      },
      { name: 'two', server: { ...pypi, name: 'two' } },
      { name: 'four', server: { kind: 'other', name: 'four', command: '/opt/four --quick' } },
      {
        name: 'three',
        server: {
          kind: 'remote',
          name: 'three',
          url: 'https://example.com/mcp',
          token: 't-1',
          headers: 'X-Team: ops\nX-Key: \nX-Id: ',
        },
      },
    ])
  })
})

test.each([
  ['<folder>', true],
  ['--root\n<folder>', true],
  ['{folder}', true],
  ['--url\nhttps://{host}/mcp', true],
  ['a <b> c', false],
  ['${user_config.key}', false],
  ['{"a":1}', false],
  ['{}', false],
])('in %j something is to be replaced: %s', (lines, blanks) => {
  expect(hasBlanks(lines)).toBe(blanks)
})
