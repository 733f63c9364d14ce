import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Problem } from '../contract/errors.ts'
import { ann, annWrites, lines, openFixture } from './stage/servers/http-fixture.ts'

let fixture: Awaited<ReturnType<typeof openFixture>>
beforeAll(async () => void (fixture = await openFixture()))
afterAll(() => fixture.server[Symbol.asyncDispose]())
beforeEach(() => {
  Object.assign(fixture.switches, {
    effects: {},
    setupNeeded: false,
    revoked: new Set(),
    uploaded: 0,
    stopUploadAt: Infinity,
  })
  lines.length = 0
})
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
const send = (method: Method, url: string, headers: Record<string, string> = {}, payload?: string | Buffer | object) =>
  fixture.server.inject({ method, url, headers, payload })
const create = (headers: Record<string, string>, payload: string | Buffer | object = { name: 'x' }) =>
  send('POST', '/api/items', { 'content-type': 'application/json', ...headers }, payload)
const refusal = (answer: { statusCode: number; body: string; headers: Readonly<Record<string, unknown>> }) => {
  expect(answer.headers['content-type']).toContain('application/problem+json')
  const problem = Problem.parse(JSON.parse(answer.body))
  expect(problem.status).toBe(answer.statusCode)
  return `${answer.statusCode} ${problem.code}`
}

describe('who asks', () => {
  it('takes a cookie or a bearer token, and nothing else', async () => {
    expect((await send('GET', '/api/items', ann)).statusCode).toBe(200)
    expect((await send('GET', '/api/items', { authorization: 'bearer bearer-ann' })).statusCode).toBe(200)
    expect((await send('GET', '/api/items', { ...ann, authorization: 'Basic eDp5' })).statusCode).toBe(200)
    for (const headers of [
      {},
      { cookie: 'reeve_session=' },
      { cookie: 'reeve_session=guess' },
      { cookie: 'reeve_session=secret-ann; reeve_session=secret-hans' },
      { cookie: '__Host-reeve_session=secret-ann' },
      { authorization: 'Bearer secret-ann' },
      { ...ann, authorization: 'Bearer wrong' },
    ] as Record<string, string>[]) {
      const answer = await send('GET', '/api/items', headers)
      expect(refusal(answer)).toBe('401 not_signed_in')
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
    const twice = await send('GET', '/api/items', {
      cookie: 'a=1; reeve_session=secret-ann; b; reeve_session=secret-ann',
    })
    expect(twice.statusCode).toBe(200)
  })

  it('wants the CSRF token of the session with every change by cookie, and not by token', async () => {
    expect((await create(annWrites)).json()).toEqual({ name: 'x', caller: 'ann' })
    expect((await create({ authorization: 'Bearer bearer-ann' })).statusCode).toBe(200)
    for (const token of ['', 'csrf-hans', 'csrf-ann-and-more', 'csrf-an']) {
      expect(refusal(await create({ ...ann, 'x-csrf-token': token }))).toBe('403 csrf_mismatch')
    }
    expect(refusal(await create(ann))).toBe('403 csrf_mismatch')
    expect(refusal(await create({}))).toBe('401 not_signed_in')
    expect((await send('POST', '/api/login', ann)).statusCode).toBe(200)
  })

  it('refuses changes from a foreign origin, on public routes too', async () => {
    const ours = { host: 'box.lan:8080', origin: 'http://box.lan:8080' }
    expect((await create({ ...annWrites, ...ours })).statusCode).toBe(200)
    expect((await create({ ...annWrites, host: 'box.lan', origin: 'http://box.lan:80' })).statusCode).toBe(200)
    for (const origin of [
      'null',
      'http://evil.example',
      'http://box.lan',
      'file://',
      'nonsense',
      'http://box.lan:8080.evil.example',
    ]) {
      expect(refusal(await create({ ...annWrites, ...ours, origin }))).toBe('403 foreign_origin')
      expect(refusal(await send('POST', '/api/login', { ...ours, origin }))).toBe('403 foreign_origin')
    }
    expect(refusal(await create({ ...annWrites, 'sec-fetch-site': 'cross-site' }))).toBe('403 foreign_origin')
    expect((await send('GET', '/api/items', { ...ann, origin: 'http://evil.example' })).statusCode).toBe(200)
  })

  it('knows its public address, and names the cookie for HTTPS', async () => {
    const { server } = await openFixture({ publicUrl: 'https://reeve.example/', trustProxy: ['10.0.0.0/8'] })
    await using _ = server
    const login = (origin: string) =>
      server.inject({ method: 'POST', url: '/api/login', headers: { origin, host: 'inner:8080' } })
    expect(refusal(await login('http://inner:8080'))).toBe('403 foreign_origin')
    const cookie = (await login('https://reeve.example')).headers['set-cookie']
    expect(cookie).toBe(
      '__Host-reeve_session=secret-ann; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT; HttpOnly; SameSite=Lax; Secure',
    )
    const list = (header: string) => server.inject({ method: 'GET', url: '/api/items', headers: { cookie: header } })
    expect((await list('__Host-reeve_session=secret-ann')).statusCode).toBe(200)
    expect((await list('reeve_session=secret-ann')).statusCode).toBe(401)
  })

  it('believes X-Forwarded-Proto only from a trusted proxy', async () => {
    const { server } = await openFixture({ trustProxy: ['10.0.0.0/8'] })
    await using _ = server
    const cookieFor = async (remoteAddress: string) => {
      const answer = await server.inject({
        method: 'POST',
        url: '/api/login',
        headers: { 'x-forwarded-proto': 'https' },
        remoteAddress,
      })
      return String(answer.headers['set-cookie']).split('=')[0]
    }
    expect(await cookieFor('10.1.1.1')).toBe('__Host-reeve_session')
    expect(await cookieFor('192.0.2.1')).toBe('reeve_session')
  })

  it('asks for an administrator, then for permissions: deny 403, ask 409 or a card', async () => {
    expect(refusal(await send('GET', '/api/admin', ann))).toBe('403 forbidden')
    expect((await send('GET', '/api/admin', { cookie: 'reeve_session=secret-root' })).statusCode).toBe(200)
    const { effects } = fixture.switches
    expect((await send('DELETE', '/api/items/itm_1', annWrites)).json()).toEqual({ force: false })
    effects['files.delete'] = 'ask'
    const asked = await send('DELETE', '/api/items/itm_1', annWrites)
    expect(refusal(asked)).toBe('409 approval_required')
    expect(asked.json<Problem>().detail).toMatch(/Rule files\.delete of role Staff says ask.*administrator/)
    effects['files.read'] = 'deny'
    expect(refusal(await send('DELETE', '/api/items/itm_1', annWrites))).toBe('403 forbidden')
    effects['codex.use'] = 'ask'
    expect((await send('POST', '/api/run', annWrites)).json()).toEqual({ asks: ['codex.use'] })
    effects['codex.use'] = 'deny'
    expect(refusal(await send('POST', '/api/run', annWrites))).toBe('403 forbidden')
  })

  it('limits a guarded route by address', async () => {
    const from = (remoteAddress: string) => fixture.server.inject({ method: 'GET', url: '/api/guarded', remoteAddress })
    for (let i = 0; i < 3; i++) expect((await from('2001:db8::1')).statusCode).toBe(200)
    const limited = await from('2001:db8:0:0:ffff::2')
    expect(refusal(limited)).toBe('429 too_many_attempts')
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect((await from('2001:db8:1::1')).statusCode).toBe(200)
  })
})

describe('what is asked', () => {
  it('checks parameters, query and headers', async () => {
    expect((await send('GET', '/api/items?limit=7', { ...ann, 'x-wanted': 'y' })).json()).toMatchObject({
      limit: 7,
      wanted: 'y',
    })
    expect((await send('GET', '/api/items?__proto__=1&constructor=2', ann)).statusCode).toBe(200)
    const bad = await send('GET', '/api/items?limit=0&q=a&q=b', ann)
    expect(refusal(bad)).toBe('422 invalid_request')
    expect(bad.json<Problem>().errors?.map(({ path }) => path)).toEqual(['limit', 'q'])
    expect(refusal(await send('GET', '/api/items', { ...ann, 'x-wanted': 'too long' }))).toBe('422 invalid_request')
    const none = await send('GET', '/api/items/itm_none', ann)
    const bogus = await send('GET', '/api/items/..%2f..%2fetc', ann)
    expect([refusal(none), refusal(bogus)]).toEqual(['404 not_found', '404 not_found'])
    expect(refusal(await send('GET', `/api/items/${'x'.repeat(3000)}`, ann))).toBe('404 not_found')
    expect(refusal(await send('GET', '/api/items/%E0%A4%A', ann))).toBe('404 not_found')
  })

  it('reads JSON and nothing else', async () => {
    const cases: [string, Record<string, string>, string | Buffer | undefined][] = [
      ['400 malformed_json', {}, '{"name":'],
      ['400 malformed_json', {}, Buffer.from([0x22, 0xff, 0x22])],
      ['422 invalid_request', {}, '{"name":1}'],
      ['422 invalid_request', {}, '{"name":"x","nam":1}'],
      ['422 invalid_request', {}, '{"name":"x","__proto__":{"admin":true}}'],
      ['422 invalid_request', {}, '{"name":"x","tags":{"\\u005f_proto__":{"admin":true}}}'],
      ['422 invalid_request', {}, '{"name":"x","tags":{"constructor":{"prototype":{"a":1}}}}'],
      ['422 invalid_request', {}, 'null'],
      ['422 invalid_request', {}, undefined],
      ['415 unsupported_media_type', { 'content-type': 'text/plain' }, '{"name":"x"}'],
      ['415 unsupported_media_type', { 'content-type': 'nonsense' }, '{"name":"x"}'],
      ['415 unsupported_media_type', { 'content-type': 'application/json; charset=utf-16' }, '{"name":"x"}'],
      ['415 unsupported_media_type', { 'content-encoding': 'gzip' }, '{"name":"x"}'],
      ['413 payload_too_large', {}, `{"name":"${'x'.repeat(1024 * 1024)}"}`],
    ]
    for (const [expected, headers, payload] of cases) {
      const answer = await send(
        'POST',
        '/api/items',
        { ...annWrites, 'content-type': 'application/json', ...headers },
        payload,
      )
      expect([refusal(answer), payload?.toString().slice(0, 60)]).toEqual([expected, payload?.toString().slice(0, 60)])
    }
    for (const [type, payload] of [
      ['application/json;charset="UTF-8"', '{"name":"x"}'],
      ['Application/JSON', '\ufeff{"name":"x","tags":{"a":"a \\u00e9 __proto__ b","constructor":"builder"}}'],
    ]) {
      expect((await create({ ...annWrites, 'content-type': type! }, payload)).statusCode).toBe(200)
    }
    expect(({} as Record<string, unknown>).admin).toBeUndefined()
    expect(
      (
        await send('DELETE', '/api/items/itm_1', { ...annWrites, 'content-type': 'application/json' }, '{"force":true}')
      ).json(),
    ).toEqual({
      force: true,
    })
  })

  it('names the wrong fields in the caller’s language', async () => {
    const unknown = (await create(annWrites, { name: 'x', tgas: {} })).json<Problem>()
    expect(unknown.errors).toEqual([{ path: 'tgas', message: 'Unrecognized key: "tgas"' }])
    const hans = { cookie: 'reeve_session=secret-hans', 'x-csrf-token': 'csrf-hans' }
    expect((await create(hans, { name: 1 })).json<Problem>().detail).toMatch(/^name: Ungültige Eingabe/)
    const foreign = await send(
      'POST',
      '/api/login',
      { 'content-type': 'application/json', 'accept-language': 'ru-RU,en' },
      '{"out":1}',
    )
    expect(foreign.json<Problem>()).toMatchObject({
      title: 'Запрос имеет не тот вид, что ожидался',
      detail: expect.stringMatching(/Неверный ввод/),
    })
  })

  it('tells a wrong method from a wrong path', async () => {
    for (const [method, url, allow] of [
      ['PUT', '/api/items', 'GET, HEAD, POST'],
      ['OPTIONS', '/api/items/itm_1', 'DELETE, GET, HEAD'],
      ['POST', '/chat?x=1', 'GET, HEAD'],
    ] as const) {
      const answer = await send(method, url)
      expect([refusal(answer), answer.headers.allow]).toEqual(['405 method_not_allowed', allow])
    }
    for (const url of ['/api/nothing', '/api/items/', '/constructor', '/%ff', '/api/items/a/b']) {
      expect(refusal(await send('GET', url, ann))).toBe('404 not_found')
    }
    expect(refusal(await send('POST', '/api/nothing', ann))).toBe('404 not_found')
  })
})

describe('what fails', () => {
  it('answers a declared error with its members, and the standard ones win', async () => {
    const answer = await send('GET', '/api/fail?how=declared')
    expect(refusal(answer)).toBe('409 folder_exists')
    expect(answer.json()).toEqual({
      type: 'about:blank',
      title: 'A folder with this name exists',
      status: 409,
      detail: 'Pick another name.',
      code: 'folder_exists',
      folder_id: 'fld_1',
    })
    expect(answer.headers['retry-after']).toBe('3')
  })

  it('says nothing of what went wrong inside, and logs it once with the id that it gives', async () => {
    for (const how of ['error', 'zod', 'undeclared', 'answer']) {
      lines.length = 0
      const answer = await send('GET', `/api/fail?how=${how}`)
      expect(refusal(answer)).toBe('500 internal')
      expect(answer.body).not.toMatch(/SELECT|\/var|at |invalid_type|run_active/)
      const errors = lines.filter(({ level }) => level === 'error')
      expect(errors).toHaveLength(1)
      expect(errors[0]!.fields.request_id).toBe(answer.json<{ request_id: string }>().request_id)
      expect(errors[0]!.fields.err).toBeInstanceOf(Error)
    }
  })

  it('trusts answers and codes in production', async () => {
    const { server } = await openFixture({ checkAnswers: false })
    await using _ = server
    expect((await server.inject({ method: 'GET', url: '/api/fail?how=answer' })).statusCode).toBe(200)
    expect((await server.inject({ method: 'GET', url: '/api/fail?how=undeclared' })).statusCode).toBe(409)
  })
})
