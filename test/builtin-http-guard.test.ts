import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpModule } from '../builtin/http/module.ts'
import { createServer as createModule } from '../builtin/http/server.ts'
import type { BuiltinSettings } from '../server/modules/spec/builtin-module.ts'
import { openBuiltin, type BuiltinHost } from './stage/modules/builtin-host.ts'
import { Site, to, leadsTo } from './stage/servers/http-site.ts'

let other: Site
let site: Site
let http: BuiltinHost
beforeAll(async () => {
  other = await new Site({
    '/': to('text/plain', 'the other one'),
    '/echo': (request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(request.headers)),
  }).listen()
  site = await new Site({
    '/page': to('text/plain', 'inside'),
    '/latin': to('text/plain; charset=iso-8859-1', Buffer.from('Gr\xfc\xdfe', 'latin1')),
    '/echo': (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=top-secret-cookie; Path=/' })
        .end(JSON.stringify(request.headers)),
    '/seeother': leadsTo('/echo', 303),
    '/elsewhere': leadsTo(() => `${other.url}/echo`),
    '/keeps': leadsTo(() => `${other.url}/echo`, 307),
    '/round': leadsTo('/round'),
    '/metadata': leadsTo('http://169.254.169.254/latest/meta-data/'),
    '/file': leadsTo('file:///etc/passwd'),
    '/userinfo': leadsTo(() => `http://ann:geheim@${other.host}/`),
  }).listen()
  http = await open({})
})
afterAll(async () => {
  await http[Symbol.asyncDispose]()
  site.close()
  other.close()
})
const open = (settings: BuiltinSettings) =>
  openBuiltin(httpModule, {
    allowed_hosts: ['*'],
    allow_private: true,
    max_bytes: 1_000_000,
    timeout_s: 30,
    ...settings,
  })
describe('where it does not go', () => {
  test.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://①②⑦.0.0.1/',
    'http://224.0.0.1/',
  ])('%s', async (url) => {
    await using guarded = await open({ allow_private: false })
    expect(await guarded.refused('fetch', { url })).toMatch(/not allowed/)
  })
  test.each([
    ['file:///etc/passwd', 'Only http and https'],
    ['ftp://example.com/', 'Only http and https'],
    ['data:text/plain,x', 'Only http and https'],
    ['example.com', 'no address'],
    ['http://ann:geheim@example.com/', 'user name or password'],
    ['http://ann@example.com/', 'user name or password'],
    ['http://', 'no address'],
  ])('%s', async (url, sentence) => {
    const text = await http.refused('fetch', { url })
    expect(text).toContain(sentence)
    expect(text).not.toContain('geheim')
  })
  test('metadata services, even where private networks are allowed', async () => {
    expect(await http.refused('fetch', { url: 'http://169.254.169.254/' })).toContain('not allowed')
    expect(await http.refused('fetch', { url: `${site.url}/metadata` })).toContain('not allowed')
  })
  test('redirects to other schemes, to a user name, and without end', async () => {
    expect(await http.refused('fetch', { url: `${site.url}/file` })).toContain('Only http and https')
    expect(await http.refused('fetch', { url: `${site.url}/userinfo` })).not.toContain('geheim')
    expect(await http.refused('fetch', { url: `${site.url}/round` })).toContain('without end')
  })
  test('a name that resolves to a private address, and one that changes between two looks', async () => {
    const answers = ['127.0.0.1', '93.184.215.14', '127.0.0.1']
    const asked: string[] = []
    const module = {
      ...httpModule,
      createServer: (settings: BuiltinSettings) =>
        Promise.resolve(
          createModule(settings, (host) => {
            asked.push(host)
            return Promise.resolve([{ address: answers[asked.length - 1] ?? '127.0.0.1', family: 4 }])
          }),
        ),
    }
    await using guarded = await openBuiltin(module, { allowed_hosts: ['*'], timeout_s: 1 })
    const { port } = new URL(site.url)
    const before = site.seen.length
    expect(await guarded.refused('fetch', { url: `http://inside.example:${port}/page` })).toContain('not allowed')
    // The judged address is the one that is connected to: the second look at the name never happens.
    await guarded.refused('fetch', { url: `http://inside.example:${port}/page` })
    expect(asked).toEqual(['inside.example', 'inside.example'])
    expect(site.seen).toHaveLength(before)
  })
  test('allowed and blocked hosts hold for redirects too, and no look-alike passes', async () => {
    await using some = await open({
      allowed_hosts: ['localhost', '*.Example.com', 'münchen.example'],
      blocked_hosts: ['bad.example.com'],
    })
    for (const url of [
      'http://example.com/',
      'http://xexample.com/',
      'http://example.com.evil.test/',
      'http://a.example.com@evil.test/',
      'http://evil.test/?a.example.com',
      'http://evil.test#a.example.com',
      'http://evil.test\\@a.example.com/',
    ])
      expect(await some.refused('fetch', { url })).toMatch(/not among the allowed hosts|user name/)
    expect(await some.refused('fetch', { url: 'http://bad.example.com./' })).toContain('block the host')
    expect(await some.refused('fetch', { url: 'http://xn--mnchen-3ya.example:1/' })).not.toContain('allowed hosts')
    const { port } = new URL(site.url)
    expect((await some.done('fetch', { url: `http://localhost:${port}/latin` })).text).toContain('Grüße')
    expect(await some.refused('fetch', { url: `http://localhost:${port}/elsewhere` })).toContain(
      'not among the allowed hosts',
    )
  })
})

describe('what it does not give away', () => {
  test('what is sent along goes to the first origin only', async () => {
    const headers = { Authorization: 'Bearer mine', Cookie: 'a=b', 'X-Key': 'k', Accept: 'text/x' }
    await http.done('request', { url: `${site.url}/elsewhere`, method: 'GET', headers })
    const { headers: arrived } = other.seen.at(-1)!
    expect(arrived).toMatchObject({ accept: 'text/x' })
    expect(Object.keys(arrived)).not.toEqual(expect.arrayContaining(['authorization']))
    expect(JSON.stringify(arrived)).not.toMatch(/mine|a=b|"k"/)
  })
  test('data is not sent on to another origin; after 303 it is not sent at all', async () => {
    const before = other.seen.length
    expect(await http.refused('request', { url: `${site.url}/keeps`, body: 'private' })).toContain(
      'Ask for that address itself',
    )
    expect(other.seen).toHaveLength(before)
    await http.done('request', { url: `${site.url}/seeother`, body: 'private' })
    expect(site.seen.at(-1)).toMatchObject({ method: 'GET', body: '' })
  })
  test('a header of the settings goes to its host only, wins, and is masked in what comes back', async () => {
    const secret = 'Bearer s3cret-Of-The-Settings'
    await using keyed = await open({
      headers: `# mine\nhttp://${site.host}: Authorization: ${secret}\n\nlocalhost: X-Other: never-sent-1`,
    })
    const { text, tables } = await keyed.done('request', {
      url: `${site.url}/echo`,
      method: 'GET',
      headers: { authorization: 'Bearer guess' },
    })
    expect(site.seen.at(-1)?.headers.authorization).toBe(secret)
    expect(JSON.stringify(site.seen.at(-1))).not.toContain('never-sent')
    expect(text + JSON.stringify(tables)).not.toContain('s3cret-Of')
    expect(text).toContain('[secret]')
    await keyed.done('fetch', { url: `${site.url}/elsewhere` })
    expect(JSON.stringify(other.seen.at(-1))).not.toContain('s3cret')
    await keyed.done('fetch', { url: `http://localhost:${new URL(site.url).port}/echo` })
    expect(JSON.stringify(site.seen.at(-1))).not.toMatch(/s3cret|never-sent/)
  })
  test('a header that cannot be read stops the module with a sentence that does not hold it', async () => {
    await expect(open({ headers: 'x\nexample.com Authorization geheim' })).rejects.toThrow(
      /Line 1 of the setting "Headers"/,
    )
    await expect(open({ headers: 'example.com: X-A: geheim\0' })).rejects.toThrow(
      expect.not.stringContaining('geheim') as string,
    )
  })
})
