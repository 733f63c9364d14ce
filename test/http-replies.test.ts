import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rateLimit } from '../server/http/request/rate-limit.ts'
import { SECURITY_HEADERS } from '../server/http/answer/security-headers.ts'
import { contentDisposition } from '../server/http/answer/send-file.ts'
import { ann, annWrites, openFixture } from './stage/servers/http-fixture.ts'

const SHELL = '<!doctype html><title>Reeve</title>'
const PRELOADS = {
  pages: {
    chat: ['/assets/app-1a2b.js', '/assets/chat.js'],
    'chat?c': ['/assets/app-1a2b.js', '/assets/chat.js', '/assets/messages.css'],
    login: ['/assets/app-1a2b.js', '/assets/login.js'],
  },
  languages: { en: '/assets/en.json', de: '/assets/de.json' },
}
let root: string
let fixture: Awaited<ReturnType<typeof openFixture>>
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'reeve-web-'))
  await mkdir(join(root, 'web/assets'), { recursive: true })
  await writeFile(join(root, 'secret.txt'), 'secret')
  await writeFile(join(root, 'web/index.html'), SHELL)
  await writeFile(join(root, 'web/favicon.svg'), '<svg/>')
  await writeFile(join(root, 'web/.preloads.json'), JSON.stringify(PRELOADS))
  await writeFile(join(root, 'web/assets/app-1a2b.js'), 'let a')
  await writeFile(join(root, 'web/assets/app-1a2b.js.br'), brotliCompressSync('let a'))
  fixture = await openFixture({ webRoot: join(root, 'web') })
})
afterAll(async () => {
  await fixture.server[Symbol.asyncDispose]()
  await rm(root, { recursive: true })
})
const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
  fixture.server.inject({ method, url, headers })

describe('replies', () => {
  it('carries the security headers on everything', async () => {
    for (const url of [
      '/api/items',
      '/api/nothing',
      '/chat',
      '/%ff',
      '/favicon.svg',
      '/api/file/a.txt',
      '/metrics',
      '/away',
    ]) {
      const { headers } = await get(url)
      const { 'content-security-policy': policy, ...rest } = SECURITY_HEADERS
      expect([url, headers]).toEqual([url, expect.objectContaining(rest)])
      expect(headers['content-security-policy'] ?? '').toMatch(/frame-ancestors 'none'/)
      expect(policy).toBeDefined()
    }
    const list = await get('/api/items', ann)
    expect(list.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
    })
  })

  it('has its pages and assets for everybody who asks at once, from the first moment on', async () => {
    const { server } = await openFixture({ webRoot: join(root, 'web') })
    const urls = ['/chat', '/chat', '/favicon.svg', '/assets/app-1a2b.js']
    const answers = await Promise.all(urls.map((url) => server.inject({ method: 'GET', url, headers: ann })))
    await server[Symbol.asyncDispose]()
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  })

  it('answers HEAD like GET without the body', async () => {
    for (const url of ['/api/items', '/chat', '/favicon.svg', '/api/file/a.txt', '/metrics', '/api/nothing']) {
      const [full, head] = [await get(url, ann), await get(url, ann, 'HEAD')]
      expect([url, head.statusCode, head.body]).toEqual([url, full.statusCode, ''])
      expect([url, head.headers['content-length']]).toEqual([url, full.headers['content-length']])
    }
    expect((await get('/api/events', ann, 'HEAD')).headers['content-type']).toBe('text/event-stream')
  })

  it('starts and ends a session', async () => {
    const post = (payload: object) => fixture.server.inject({ method: 'POST', url: '/api/login', payload })
    expect((await post({})).headers['set-cookie']).toMatch(
      /^reeve_session=secret-ann; Path=\/; Expires=.*2100.*; HttpOnly; SameSite=Lax$/,
    )
    expect((await post({ out: true })).headers['set-cookie']).toMatch(
      /^reeve_session=; Path=\/; Expires=Thu, 01 Jan 1970/,
    )
  })

  it('says when it answered before the work was done', async () => {
    const now = await get('/api/run', annWrites, 'POST')
    const later = await get('/api/run', { ...annWrites, prefer: 'respond-async' }, 'POST')
    expect([now.statusCode, now.headers['preference-applied']]).toEqual([200, undefined])
    expect([later.statusCode, later.headers['preference-applied']]).toEqual([202, 'respond-async'])
  })

  it('leaves a note in the browser that goes elsewhere, and takes it away when it comes back with a session', async () => {
    const ends = 'Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT; HttpOnly; SameSite=Lax'
    const away = await get('/away', { host: 'box.lan:8080' })
    expect(away.headers.location).toBe('http://box.lan:8080')
    expect(away.headers['set-cookie']).toBe(`reeve_note=was here; ${ends}`)
    const back = await get('/away', { cookie: 'reeve_note=was here' })
    expect([back.statusCode, back.headers.location]).toEqual([303, '/chat'])
    expect(back.headers['set-cookie']).toEqual([
      `reeve_session=secret-ann; ${ends}`,
      'reeve_note=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    ])
    // Two of them: one was planted.
    const planted = await get('/away', { cookie: 'reeve_note=was here; reeve_note=other' })
    expect(planted.headers.location).toBe('http://localhost')
    const { server } = await openFixture({ publicUrl: 'https://reeve.example/' })
    await using _ = server
    const secure = await server.inject({ method: 'GET', url: '/away', headers: { host: 'evil.example' } })
    expect(secure.headers.location).toBe('https://reeve.example')
    expect(secure.headers['set-cookie']).toBe(`__Host-reeve_note=was here; ${ends}; Secure`)
  })

  it('sends redirects, text and files', async () => {
    const away = await get('/away')
    expect([away.statusCode, away.headers.location]).toEqual([303, 'http://localhost'])
    expect((await get('/metrics')).headers['content-type']).toBe('text/plain; version=0.0.4')
    const file = await get(`/api/file/${encodeURIComponent('Отчёт "é".txt')}`)
    expect([file.body, file.headers['content-length']]).toEqual(['abcdef', '6'])
    expect(file.headers['cache-control']).toBe('private, no-store')
    expect(file.headers['content-disposition']).toBe(
      `attachment; filename="_____ _e_.txt"; filename*=UTF-8''%D0%9E%D1%82%D1%87%D1%91%D1%82%20%22%C3%A9%22.txt`,
    )
    const shown = await get('/api/show')
    expect(shown.headers['content-disposition']).toMatch(/^inline/)
    expect(shown.headers['content-security-policy']).toMatch(/sandbox/)
    expect(contentDisposition('attachment', 'a\r\nb/\u202e\ud800')).toBe(
      `attachment; filename="a__b___"; filename*=UTF-8''a__b__%EF%BF%BD`,
    )
    expect(contentDisposition('attachment', '\u06e7')).toBe(`attachment; filename="file"; filename*=UTF-8''%DB%A7`)
    fixture.switches.fileLacks = 6
    const failed = await get('/api/file/a.txt')
    fixture.switches.fileLacks = 0
    expect([failed.statusCode, failed.headers['content-disposition']]).toEqual([500, undefined])
    expect(failed.json()).toMatchObject({ code: 'internal' })
    expect(failed.body).not.toMatch('secret')
  })
})

/** Lone surrogates and control characters too. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))

describe('hostile input', () => {
  it('makes a header of any file name', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const header = contentDisposition('attachment', name)
        expect(header).toMatch(/^attachment; filename="[\x20-\x21\x23-\x7e]+"; filename\*=UTF-8''[\w.~!%$&+^`|#{}-]+$/)
      }),
    )
  })

  it('answers any body, path and cookie with a refusal or an answer, never with a failure', async () => {
    const text = fc.oneof(fc.json(), anyText)
    const token = fc.string({ unit: fc.constantFrom(...' =;,"%aé'), maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(text, fc.webPath(), token, async (payload, path, cookie) => {
        const headers = {
          'content-type': 'application/json',
          cookie: `${cookie}; ${ann.cookie}`,
          'x-csrf-token': 'csrf-ann',
        }
        const posted = await fixture.server.inject({ method: 'POST', url: '/api/items', headers, payload })
        expect([200, 400, 401, 422]).toContain(posted.statusCode)
        const got = await fixture.server.inject({ method: 'GET', url: path.startsWith('/') ? path : `/${path}` })
        expect([200, 303, 401, 404, 422]).toContain(got.statusCode)
      }),
    )
  })
})

describe('pages', () => {
  it('serves the application to those who may, and leads the others to sign-in or setup', async () => {
    const page = await get('/chat', ann)
    expect([page.statusCode, page.body, page.headers['cache-control']]).toEqual([200, SHELL, 'no-cache'])
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'self'; script-src 'self'/)
    const where = async (url: string) => {
      const { statusCode, headers } = await get(url)
      return `${statusCode} ${String(headers.location)}`
    }
    expect(await where('/chat?c=cnv_1&x=%2F')).toBe('303 /login?next=%2Fchat%3Fc%3Dcnv_1%26x%3D%252F')
    expect(await where('/login')).toBe('200 undefined')
    fixture.switches.setupNeeded = true
    expect([await where('/chat'), await where('/login'), await where('/setup?token=x')]).toEqual([
      '303 /setup',
      '303 /setup',
      '200 undefined',
    ])
    fixture.switches.setupNeeded = false
    const refused = await get('/admin', ann)
    expect([refused.statusCode, refused.body]).toEqual([403, SHELL])
  })

  it('announces what a page needs with the page: scripts, texts in the language, and for a caller their data', async () => {
    const announced = async (url: string, headers: Record<string, string> = {}) =>
      String((await get(url, headers)).headers.link).split(', ')
    const script = (name: string) => `</assets/${name}.js>; rel=modulepreload`
    const data = (path: string) => `<${path}>; rel=preload; as=fetch; crossorigin`
    const session = data('/api/auth/session')
    const english = data('/assets/en.json')
    const app = script('app-1a2b')
    expect(await announced('/login')).toEqual([app, english, script('login')])
    expect(await announced('/login', { 'accept-language': 'de-CH, en;q=0.5' })).toContain(data('/assets/de.json'))
    expect(await announced('/chat', ann)).toEqual([app, session, data('/api/chat/tools'), english, script('chat')])
    expect(await announced('/chat?m=msg_1&c=cnv_1', ann)).toEqual([
      app,
      session,
      data('/api/chat/conversations/cnv_1'),
      english,
      script('chat'),
      '</assets/messages.css>; rel=preload; as=style; crossorigin',
    ])
    for (const hostile of ['%3E%3B%20rel%3Dpreload', '..%2F..%2Fsecret', 'a%0d%0aset-cookie:x', '', 'x'.repeat(65)])
      expect((await announced(`/chat?c=${hostile}`, ann)).filter((link) => link.includes('/api/'))).toEqual([session])
    // Whoever may not see a page gets no data for it.
    expect((await get('/admin', ann)).headers.link).toBeUndefined()
    expect((await get('/nowhere', { accept: 'text/html' })).headers.link).toBeUndefined()
  })

  it('answers an unknown address with the application for people only', async () => {
    const html = { accept: 'text/html,*/*' }
    const lost = await get('/nowhere', html)
    expect([lost.statusCode, lost.body]).toEqual([404, SHELL])
    for (const [url, headers] of [
      ['/nowhere', {}],
      ['/api/nowhere', html],
      ['/assets/old.js', html],
    ] as const) {
      expect((await get(url, headers)).json()).toMatchObject({ status: 404, code: 'not_found' })
    }
  })

  it('serves files of the build and no others', async () => {
    const plain = await get('/assets/app-1a2b.js')
    expect([plain.body, plain.headers['content-encoding']]).toEqual(['let a', undefined])
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    const packed = await get('/assets/app-1a2b.js', { 'accept-encoding': 'gzip, br;q=1' })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(packed.rawPayload).toString()).toBe('let a')
    expect((await get('/assets/app-1a2b.js', { 'accept-encoding': 'br;q=0' })).body).toBe('let a')
    const icon = await get('/favicon.svg')
    expect(icon.headers['cache-control']).toBe('no-cache')
    expect((await get('/favicon.svg', { 'if-none-match': String(icon.headers.etag) })).statusCode).toBe(304)
    for (const url of [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/../index.html',
      '/assets',
      '//secret.txt',
    ]) {
      expect([url, (await get(url)).statusCode]).toEqual([url, 404])
    }
  })

  it('says what to do when there is no build', async () => {
    const { server } = await openFixture()
    await using _ = server
    const answer = await server.inject({ method: 'GET', url: '/login' })
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      503,
      expect.stringContaining('npm run build'),
    ])
  })
})

describe('the limit', () => {
  it('refills evenly and forgets who has been away', () => {
    let now = 0
    const limit = rateLimit(60, () => now)
    for (let i = 0; i < 60; i++) limit('a')
    expect(() => limit('a')).toThrow('Try again in 1 s')
    now += 1000
    limit('a')
    expect(() => limit('a')).toThrow('Too many')
    for (let i = 0; i < 30_000; i++) limit(`10.0.${i >> 8}.${i & 255}`)
    expect(() => limit('b')).not.toThrow()
  })
})
