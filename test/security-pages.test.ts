import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { TestClient } from './stage/client.ts'
import { everyRoute } from './stage/sources/every-route.ts'
import { PASSWORD } from './stage/people.ts'
import { ask, expectProblem, expectSafeHeaders } from './stage/security-stage.ts'

const pages = everyRoute.filter(({ route }) => route.response.kind === 'page')

describe('pages', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test('hold nothing inline and load nothing from elsewhere', async () => {
    const admin = await app.as('admin')
    const assets = new Set<string>()
    for (const { name, route } of pages) {
      const { status, headers, text } = await ask(admin, route, {
        ids: {
          module_name: 'system',
          approval_id: 'apr_none',
          routine_id: 'rtn_none',
          procedure_id: 'pcd_none',
        },
      })
      expect([name, status, headers.get('content-type')]).toEqual([name, 200, 'text/html; charset=utf-8'])
      expect(headers.get('content-security-policy')).toMatch(/default-src 'self'; script-src 'self'; style-src 'self';/)
      for (const [tag, content] of text.matchAll(/<script\b[^>]*>([^]*?)<\/script>/g)) {
        expect([name, tag, content]).toEqual([name, expect.stringMatching(/ src="\/[^/"]/), ''])
      }
      expect(text).not.toMatch(/<style|<base| style=| on\w+=|javascript:|https?:\/\//i)
      for (const [, path] of text.matchAll(/(?:src|href)="([^"]+)"/g)) assets.add(path!)
    }
    expect(assets.size).toBeGreaterThan(0)
    for (const path of assets) {
      const response = await app.anonymous().fetch(path)
      expect([path, response.status]).toEqual([path, 200])
      expectSafeHeaders(response.headers, path)
      expect(response.headers.getSetCookie()).toEqual([])
      await response.text()
    }
  })

  test('lead to sign-in and back to this service only', async () => {
    const target = async (path: string) => {
      const response = await app.anonymous().fetch(path)
      expectSafeHeaders(response.headers, path)
      await response.text()
      return response.headers.get('location')
    }
    await app.as('admin')
    expect(await target('/chat?c=1&d=%2F%2Fevil.example')).toBe(
      '/login?next=%2Fchat%3Fc%3D1%26d%3D%252F%252Fevil.example',
    )
    for (const path of ['//evil.example/', '/\\evil.example', '/%2F%2Fevil.example', '///evil.example/chat']) {
      expect([path, (await target(path)) ?? '/login']).toEqual([
        path,
        expect.stringMatching(/^\/login($|\?next=%2F(?!%2F))/),
      ])
    }
  })

  test('and addresses that do not exist, and methods that are not meant, are refused with the same care', async () => {
    const client = app.anonymous()
    for (const path of [
      '/api/nothing',
      '/api/chat/../admin',
      '/assets/../../package.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/..%2f..%2fetc%2fpasswd',
      '/%ff',
      '/.env',
      '/assets/%00',
      '/nothing',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await client.fetch(path, { method })
        const where = `${method} ${path}`
        expectSafeHeaders(response.headers, where)
        expect([where, [400, 404, 405].includes(response.status)]).toEqual([where, true])
        expectProblem({ status: response.status, headers: response.headers, text: await response.text() }, where)
      }
    }
    for (const { name, route } of everyRoute) {
      const path = route.path.replace(/\{\w+\}/g, 'x')
      const response = await client.fetch(path, { method: 'OPTIONS' })
      expect([name, response.status, response.headers.get('access-control-allow-origin')]).toEqual([name, 405, null])
      expectSafeHeaders(response.headers, name)
      await response.text()
    }
  })
})

/** A port that was free a moment ago: the public address must be known before the service starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('behind HTTPS the cookie is the host’s own and goes over TLS only, and the scheme of an origin counts', async () => {
  const port = await freePort()
  const env = {
    REEVE_PORT: String(port),
    REEVE_PUBLIC_URL: 'https://reeve.example',
    REEVE_ADMIN_USERNAME: 'admin',
    REEVE_ADMIN_PASSWORD: PASSWORD,
  }
  await using app = await startTestApp({ env })
  expect(app.url).toBe('https://reeve.example')
  const client = new TestClient(() => `http://127.0.0.1:${port}`)
  const login = await client.fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://reeve.example' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  expect(login.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-reeve_session=[\w-]{40,}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax; Secure$/),
    expect.stringMatching(/^__Host-reeve_device=[\w-]{40,}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax; Secure$/),
  ])
  client.csrfToken = ((await login.json()) as { csrf_token: string }).csrf_token
  const { user } = await client.call(contract.accounts.session)
  expect(user.username).toBe('admin')
  const plain = client.cookie.replace('__Host-', '')
  expect(
    (
      await ask(new TestClient(() => `http://127.0.0.1:${port}`), contract.accounts.session, {
        ids: {},
        headers: { cookie: plain },
      })
    ).status,
  ).toBe(401)
  for (const origin of [
    'http://reeve.example',
    'https://reeve.example:444',
    `http://127.0.0.1:${port}`,
    'https://reeve.example.evil',
  ]) {
    const { problem } = await ask(client, contract.chat.cancel, { ids: {}, body: '{}', headers: { origin } })
    expect([origin, problem?.code]).toEqual([origin, 'foreign_origin'])
  }
  const left = await client.fetch('/api/auth/logout', { method: 'POST', headers: { origin: 'https://reeve.example' } })
  expect(left.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-reeve_session=; Path=\/; Expires=Thu, 01 Jan 1970.*Secure$/),
  ])
})
