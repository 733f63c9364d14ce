import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpModule } from '../builtin/http/module.ts'
import type { BuiltinSettings } from '../server/modules/spec/builtin-module.ts'
import { openBuiltin, type BuiltinHost } from './stage/modules/builtin-host.ts'
import { Site, to, leadsTo } from './stage/servers/http-site.ts'
import { until } from './stage/wait.ts'

let site: Site
let http: BuiltinHost
beforeAll(async () => {
  site = await new Site({
    '/page': to(
      'text/html; charset=utf-8',
      '<title>Ä &amp; B</title><script>evil()</script><h1>News</h1><p>Go <a href="/next">on</a></p>',
    ),
    '/latin': to('text/plain; charset=iso-8859-1', Buffer.from('Gr\xfc\xdfe', 'latin1')),
    '/list': to(
      'application/json',
      JSON.stringify({
        items: [
          { id: 1, name: 'a', more: { x: 1 } },
          { id: 2, name: 'b', ok: true },
        ],
        total: 2,
      }),
    ),
    '/broken': to('application/json', '{"a": '),
    '/report': to('application/pdf', Buffer.from('%PDF-1.7 \0\x01'), {
      'content-disposition': 'attachment; filename="../../etc/pass\\wd.pdf"',
    }),
    '/echo': (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=top-secret-cookie; Path=/' })
        .end(JSON.stringify(request.headers)),
    '/moved': leadsTo('/page', 301),
    '/huge': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = () => {
        while (response.write('x'.repeat(64 * 1024)));
      }
      response.on('drain', more)
      more()
    },
    '/bomb': to('text/plain', gzipSync(Buffer.alloc(50 * 1024 * 1024)), { 'content-encoding': 'gzip' }),
    '/never': () => undefined,
    '/drip': (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('a'),
    '/empty': (_, response) => void response.writeHead(204).end(),
    '/error': (_, response) => void response.writeHead(500, { 'content-type': 'text/plain' }).end('it broke'),
  }).listen()
  http = await open({})
})
afterAll(async () => {
  await http[Symbol.asyncDispose]()
  site.close()
})
const open = (settings: BuiltinSettings) =>
  openBuiltin(httpModule, {
    allowed_hosts: ['*'],
    allow_private: true,
    max_bytes: 1_000_000,
    timeout_s: 30,
    ...settings,
  })
describe('what an address gives', () => {
  test('a page as readable text, with status, final address and headers', async () => {
    const { text, tables } = await http.done('fetch', { url: `${site.url}/moved` })
    expect(text).toContain(`200 OK from ${site.url}/page`)
    expect(text).toContain(`${site.url}/moved (301)`)
    expect(text).toContain(`Title: Ä & B\n\n# News\n\nGo [on](${site.url}/next)`)
    expect(text).not.toContain('evil')
    expect(tables[0]).toMatchObject({ title: 'Answer headers' })
  })
  test('the source as it came, and text in another encoding', async () => {
    expect((await http.done('fetch', { url: `${site.url}/page`, as: 'source' })).text).toContain('<script>evil()')
    expect((await http.done('fetch', { url: `${site.url}/latin` })).text).toContain('Grüße')
  })
  test('a list in JSON as a table', async () => {
    const { tables } = await http.done('fetch', { url: `${site.url}/list` })
    expect(tables[0]).toMatchObject({
      title: 'items',
      columns: [
        { key: 'id', type: 'integer' },
        { key: 'name', type: 'text' },
        { key: 'more', type: 'text' },
        { key: 'ok', type: 'boolean' },
      ],
      rows: [
        { id: 1, name: 'a', more: '{"x":1}', ok: null },
        { id: 2, name: 'b', more: null, ok: true },
      ],
    })
    expect((await http.done('fetch', { url: `${site.url}/broken` })).text).toContain('not valid JSON')
  })
  test('other content as a file with a harmless name', async () => {
    const { files } = await http.done('fetch', { url: `${site.url}/report` })
    expect(files).toEqual([{ name: 'wd.pdf', media_type: 'application/pdf', data: expect.anything() }])
    expect(Buffer.from(files[0]!.data).toString('latin1')).toBe('%PDF-1.7 \0\x01')
    const kept = await http.done('fetch', { url: `${site.url}/page`, as: 'file' })
    expect(kept.files[0]).toMatchObject({ name: 'page.html', media_type: 'text/html' })
  })
  test('HEAD, no content, and an error of the other side are answers too', async () => {
    expect((await http.done('fetch', { url: `${site.url}/page`, method: 'HEAD' })).text).toContain('200 OK')
    expect((await http.done('fetch', { url: `${site.url}/empty` })).text).toContain('204')
    expect((await http.done('fetch', { url: `${site.url}/error` })).text).toContain('500 Internal Server Error')
  })
  test('a request with method, headers and data', async () => {
    const { text } = await http.done('request', {
      url: `${site.url}/echo?a=1`,
      method: 'PUT',
      headers: { 'X-Name': 'v' },
      json: { a: [1] },
    })
    expect(text).toContain('200 OK')
    expect(site.seen.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/echo?a=1',
      body: '{"a":[1]}',
      headers: { 'x-name': 'v', 'content-type': 'application/json' },
    })
    expect(text).not.toContain('top-secret-cookie')
  })
  test.each([
    [{ method: 'GET', body: 'x' }, 'no body'],
    [{ json: 1, body: 'x' }, 'either'],
    [{ method: 'CONNECT' }, 'not allowed'],
    [{ headers: { Host: 'x' } }, 'cannot be set'],
    [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'cannot be set'],
    [{ headers: { 'X-A': 'a\r\nX-B: b' } }, 'cannot have'],
    [{ headers: { 'X A': 'a' } }, 'do not fit'],
  ])('a request that is refused: %j', async (input, sentence) => {
    const before = site.seen.length
    expect(await http.refused('request', { url: `${site.url}/echo`, ...input })).toContain(sentence)
    expect(site.seen).toHaveLength(before)
  })
})

describe('what does not come to an end', () => {
  test.each([
    ['/huge', 'larger than'],
    ['/bomb', 'larger than'],
    ['/never', 'did not answer within 1 s'],
    ['/drip', 'did not answer within 1 s'],
  ])('%s', async (path, sentence) => {
    await using hasty = await open({ timeout_s: path === '/huge' || path === '/bomb' ? 30 : 1 })
    expect(await hasty.refused('fetch', { url: site.url + path })).toContain(sentence)
  })
  test('a cancelled request ends at once', async () => {
    await using patient = await open({ timeout_s: 100 })
    const abort = new AbortController()
    const before = site.seen.length
    const result = patient.call('fetch', { url: `${site.url}/drip` }, abort.signal)
    await until(() => site.seen.length > before)
    const at = performance.now()
    abort.abort()
    expect(await result).toMatchObject({ status: 'cancelled' })
    expect(performance.now() - at).toBeLessThan(8000)
  })
  test('nobody there', async () => {
    expect(await http.refused('fetch', { url: 'http://127.0.0.1:1/' })).toContain('cannot be reached')
  })
})
