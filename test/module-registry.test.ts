import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { readConfig } from '../server/app/config.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'

const { modules } = contract
const OFFICIAL = 'io.modelcontextprotocol.registry/official'
const DIGEST = 'fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
let answer: Answer
const asked: IncomingMessage[] = []
const server = createServer((request, response) => {
  asked.push(request)
  answer(request, response)
})
let address = ''
let app: TestApp
let admin: TestClient

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  app = await startTestApp({ env: { REEVE_MCP_REGISTRY: address, REEVE_NPM_REGISTRY: 'https://packages.example/' } })
  admin = await app.as('admin')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const says =
  (body: unknown): Answer =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const listed = (about: Record<string, unknown>, official: Record<string, unknown> = { isLatest: true }) => ({
  server: { name: 'example/one', description: 'Does it', version: '1.2.3', ...about },
  _meta: { [OFFICIAL]: { status: 'active', ...official } },
})
const found = (...servers: unknown[]) => {
  answer = says({ servers, metadata: { count: servers.length } })
  return admin.call(modules.searchRegistry, { query: { search: 'one' } })
}
const one = async (about: Record<string, unknown>) => (await found(listed(about))).items[0]!

describe('what a registry lists', () => {
  test('only the words and the place in the list are sent', async () => {
    answer = says({ servers: [listed({})], metadata: { nextCursor: 'example/one:1.2.3', count: 1 } })
    asked.length = 0
    const page = await admin.call(modules.searchRegistry, { query: { search: ' files & more ', cursor: 'a:1' } })
    expect(page).toMatchObject({ next_cursor: 'example/one:1.2.3', registry: new URL(address).host })
    expect(asked).toHaveLength(1)
    const url = new URL(asked[0]!.url!, address)
    expect(url.pathname).toBe('/v0/servers')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      search: 'files & more',
      cursor: 'a:1',
      limit: '30',
      version: 'latest',
    })
    expect(asked[0]!.headers).not.toHaveProperty('cookie')
    expect(asked[0]!.headers).not.toHaveProperty('authorization')
    expect((await admin.call(modules.additions)).search).toBe(new URL(address).host)
  })

  test('a package of npm with its variables and arguments', async () => {
    const server = await one({
      title: 'One',
      repository: { url: 'https://code.example/one', source: 'other' },
      websiteUrl: 'javascript:alert(1)',
      packages: [
        {
          registryType: 'npm',
          identifier: '@example/one',
          version: '1.2.3',
          transport: { type: 'stdio' },
          environmentVariables: [
            { name: 'API_KEY', description: 'Its key', isRequired: true, isSecret: true, default: 'never shown' },
            { name: 'REGION', value: '{where}-1', variables: { where: { default: 'eu' } } },
            { name: 'MODE', default: 'fast', choices: ['fast', 'slow'] },
          ],
          packageArguments: [
            { type: 'positional', value: 'stdio' },
            { type: 'named', name: '--root', valueHint: 'folder', isRequired: true, isRepeated: true },
            { type: 'named', name: '--url', value: 'https://{host}/', isRequired: true },
          ],
        },
      ],
    })
    expect(server).toMatchObject({
      name: 'example/one',
      title: 'One',
      version: '1.2.3',
      repository: 'https://code.example/one',
      website: null,
      deprecated: false,
      impossible: [],
    })
    expect(server.ways).toEqual([
      {
        kind: 'npm',
        name: '@example/one',
        version: '1.2.3',
        settings: [
          { name: 'API_KEY', description: 'Its key', required: true, secret: true, default: null, choices: [] },
          { name: 'REGION', description: '', required: false, secret: false, default: 'eu-1', choices: [] },
          { name: 'MODE', description: '', required: false, secret: false, default: 'fast', choices: ['fast', 'slow'] },
        ],
        arguments: [
          expect.objectContaining({ flag: null, value: 'stdio', fixed: true }),
          expect.objectContaining({ flag: '--root', value: null, hint: 'folder', required: true, repeated: true }),
          expect.objectContaining({ flag: '--url', value: 'https://{host}/', fixed: false }),
        ],
      },
    ])
  })

  test('bundles and servers at an address', async () => {
    const { ways, impossible } = await one({
      packages: [
        { registryType: 'mcpb', identifier: 'https://files.example/a.mcpb', fileSha256: DIGEST },
        { registryType: 'mcpb', identifier: 'http://files.example/a.mcpb', fileSha256: DIGEST },
        { registryType: 'mcpb', identifier: 'https://files.example/b.mcpb' },
      ],
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{region}.example/mcp',
          variables: { region: { default: 'eu' } },
          headers: [{ name: 'X-Key', isSecret: true, isRequired: true, value: 'Bearer {key}' }],
        },
        { type: 'sse', url: 'https://{tenant}.example/sse' },
        { type: 'streamable-http', url: 'https://user:word@example.com/mcp' },
        { type: 'websocket', url: 'https://example.com/ws' },
      ],
    })
    expect(ways).toEqual([
      { kind: 'mcpb', url: 'https://files.example/a.mcpb', sha256: DIGEST },
      {
        kind: 'remote',
        url: 'https://eu.example/mcp',
        settings: [{ name: 'X-Key', description: '', required: true, secret: true, default: null, choices: [] }],
      },
    ])
    expect(impossible.map(({ why }) => why)).toEqual([
      'The address of its bundle is not usable.',
      'It has no digest that its bundle could be compared with.',
      'Its address has parts that only you know. Add it by its address.',
      'Its address or its headers are not usable.',
      'Servers of this kind cannot be connected to.',
    ])
  })

  test('what cannot be added says why, in the language of the reader', async () => {
    await admin.call(contract.accounts.updatePreferences, { body: { language: 'de' } })
    const { ways, impossible } = await one({
      packages: [
        { registryType: 'oci', identifier: 'images.example/one:1' },
        { registryType: 'nuget', identifier: 'Example.One' },
        { registryType: 'npm', identifier: 'one', transport: { type: 'streamable-http' } },
        { registryType: 'npm', identifier: '../one' },
        { registryType: 'npm', identifier: 'one', version: 'file:../one' },
        { registryType: 'npm', identifier: 'one', environmentVariables: [{ name: 'A=B', isRequired: true }] },
      ],
    })
    await admin.call(contract.accounts.updatePreferences, { body: { language: 'en' } })
    expect(ways).toEqual([])
    expect(impossible).toHaveLength(6)
    expect(impossible[0]).toEqual({ what: 'oci: images.example/one:1', why: 'Es ist ein Abbild für Container.' })
  })

  test('a package that needs a secret on its command line cannot be added; one that only may have it can', async () => {
    const secret = { type: 'named', name: '--token', isSecret: true }
    const part = { value: 'key={key}', variables: { key: { isSecret: true } } }
    const { ways, impossible } = await one({
      packages: [
        { registryType: 'npm', identifier: 'needs', packageArguments: [{ ...secret, isRequired: true }] },
        { registryType: 'npm', identifier: 'needs-a-part', packageArguments: [{ ...part, isRequired: true }] },
        { registryType: 'npm', identifier: 'may-have', packageArguments: [secret] },
      ],
    })
    expect(ways).toMatchObject([{ name: 'may-have', arguments: [{ value: null, required: false, secret: true }] }])
    const why = 'It needs a secret on its command line, where every program can read it.'
    expect(impossible).toEqual(['needs', 'needs-a-part'].map((name) => ({ what: `npm: ${name}`, why })))
  })

  test('former versions, deleted servers and what cannot be read are left out', async () => {
    const { items } = await found(
      listed({ name: 'a', version: '2' }),
      listed({ name: 'a', version: '1' }, { isLatest: false }),
      listed({ name: 'b' }, { status: 'deleted' }),
      listed({ name: 'c' }, { status: 'deprecated' }),
      { server: { name: 7 } },
      null,
      { server: { name: 'd', packages: 'none', remotes: [null, 3], _meta: 4 } },
    )
    expect(items.map(({ name, version, deprecated }) => [name, version, deprecated])).toEqual([
      ['a', '2', false],
      ['c', '1.2.3', true],
      ['d', '', false],
    ])
  })

  test('what strangers wrote hides nothing and has an end', async () => {
    const server = await one({
      name: `x\u202egnp\u0000${'n'.repeat(5000)}`,
      title: 'a\nb',
      description: `\u200b${'d'.repeat(50_000)}`,
      packages: Array.from({ length: 100 }, (_each, index) => ({
        registryType: 'npm',
        identifier: `one-${index}`,
        environmentVariables: Array.from({ length: 100 }, (_one, at) => ({
          name: `V${at}`,
          default: at === 0 ? 'a\u202eb' : 'plain',
        })),
      })),
    })
    expect(server.name).toMatch(/^x\\u\{202e\}gnp\\u\{0\}n+…$/)
    expect(server.name.length).toBeLessThanOrEqual(200)
    expect(server.title).toBe('a\\nb')
    expect(server.description.length).toBeLessThanOrEqual(1000)
    expect(server.ways).toHaveLength(20)
    const [first] = server.ways
    if (first?.kind !== 'npm') throw new Error('no package of npm')
    expect(first.settings).toHaveLength(50)
    expect(first.settings.slice(0, 2).map((setting) => setting.default)).toEqual([null, 'plain'])
  })

  test('more servers than were asked for are read only so far', async () => {
    const many = Array.from({ length: 1000 }, (_each, index) => listed({ name: `n${index}` }))
    expect((await found(...many)).items).toHaveLength(60)
  })
})

describe('a registry that is none', () => {
  const fails = async (broken: Answer) => {
    answer = broken
    return admin.call(modules.searchRegistry, { query: { search: 'one' } }).then(
      () => null,
      (error: unknown) => error,
    )
  }

  test.each<[string, Answer, RegExp]>([
    ['no JSON', (_request, response) => void response.end('<html>'), /not a list of MCP servers/],
    ['another shape', says([1, 2]), /not a list of MCP servers/],
    ['an error', (_request, response) => void response.writeHead(503).end('{}'), /answered 503/],
    [
      'more than is read',
      (_request, response) => void response.end('x'.repeat(5 * 1024 * 1024)),
      /larger than 4096 KiB/,
    ],
    [
      'one that leads elsewhere in this network',
      (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:4321/v0/servers' }).end(),
      /private network/,
    ],
    ['one that breaks off', (request) => void request.socket.destroy(), /cannot be reached/],
  ])('%s', async (_name, broken, message) => {
    const error = await fails(broken)
    expect(error).toMatchObject({ code: 'registry_failed' })
    expect(String(error)).toMatch(message)
  })
})

test('its address may name a version of the interface', async () => {
  await using other = await startTestApp({ env: { REEVE_MCP_REGISTRY: `${address}mirror/v0.1` } })
  answer = says({ servers: [listed({ packages: [{ registryType: 'npm', identifier: 'one' }] })] })
  asked.length = 0
  const { items } = await (await other.as('admin')).call(modules.searchRegistry, {})
  expect(asked[0]!.url).toMatch(/^\/mirror\/v0\.1\/servers\?/)
  expect(items[0]!.impossible).toEqual([
    { what: 'npm: one', why: 'No registry of packages is asked: REEVE_NPM_REGISTRY is off.' },
  ])
})

test('nothing is asked unless an administrator named one', async () => {
  await using other = await startTestApp()
  const someone = await other.as('admin')
  await expect(someone.call(modules.searchRegistry, {})).rejects.toMatchObject({ code: 'registry_off' })
  expect((await someone.call(modules.additions)).search).toBeNull()
})

test.each(['REEVE_MCP_REGISTRY', 'REEVE_NPM_REGISTRY', 'REEVE_PYPI_INDEX'])(
  'an address of %s that holds a secret is refused, without saying it',
  (name) => {
    for (const value of ['https://me:word-4711@host/', 'https://host/?key=word-4711', 'ftp://host/', 'host']) {
      const read = () => readConfig({ [name]: value })
      expect(read).toThrow('has no user name, password or query')
      expect(read).not.toThrow('4711')
    }
    expect(() => readConfig({ [name]: 'http://packages.lan:8080/simple/' })).not.toThrow()
  },
)
