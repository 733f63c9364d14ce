import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CertificateState } from '../contract/certificates.ts'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { ProblemAnswer } from './stage/client.ts'
import { httpsRequest, pemOf } from './stage/servers/https-request.ts'
import { PASSWORD } from './stage/people.ts'

/** Creates the administrator over a connection that nobody vouches for yet, and gives the Cookie header of the session. */
async function setUp(app: TestApp): Promise<{ cookie: string; line: string }> {
  const token = new URL(app.setupLink!).searchParams.get('token')
  const { headers } = await httpsRequest(`${app.url}/api/setup`, {
    trust: 'anybody',
    method: 'POST',
    body: { token, username: 'admin', password: PASSWORD },
  })
  const [line = ''] = headers['set-cookie'] ?? []
  return { cookie: line.split(';')[0]!, line }
}

test('who imports the downloaded certificate trusts this service under its names, and under no other', async () => {
  await using app = await startTestApp({ env: { REEVE_TLS: 'local', REEVE_TLS_NAMES: 'Reeve.example, 192.0.2.77' } })
  expect(app.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  const { cookie, line } = await setUp(app)
  expect(line).toMatch(/^__Host-reeve_session=.*; Secure/)

  const asked = { trust: 'anybody' as const, headers: { cookie } }
  const page = await httpsRequest(`${app.url}/certificate`, asked)
  expect([page.status, page.headers.location]).toEqual([303, '/help/certificates'])
  const { status, headers, body: der } = await httpsRequest(`${app.url}/certificate/download`, asked)
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'application/pkix-cert',
    'no-store',
  ])
  expect(headers['content-disposition']).toContain('attachment; filename="Service-Local-CA.cer"')
  const state = CertificateState.parse(
    JSON.parse(String((await httpsRequest(`${app.url}/api/certificate`, asked)).body)),
  )
  const digest = createHash('sha256').update(der).digest('hex').toUpperCase()
  expect(state).toMatchObject({ tls: 'local', ca: { fingerprint_sha256: digest.match(/../g)!.join(':') } })
  expect(state.ca!.subject).toMatch(/^CN=Reeve local CA .+ [0-9a-f]{6}$/)

  const trust = pemOf(der)
  const healthy = await httpsRequest(`${app.url}/healthz`, { trust })
  expect(healthy.status).toBe(200)
  // A browser that does not know the authority must be able to go on.
  expect(healthy.headers['strict-transport-security']).toBeUndefined()
  const names = ['reeve.example', hostname().toLowerCase(), 'localhost']
  for (const name of names) expect((await httpsRequest(`${app.url}/healthz`, { trust, name })).status).toBe(200)
  expect(state.server!.names).toEqual(expect.arrayContaining([...names, '127.0.0.1', '::1', '192.0.2.77']))
  await expect(httpsRequest(`${app.url}/healthz`, { trust, name: 'other.example' })).rejects.toThrow(/altnames/)
  await expect(httpsRequest(`${app.url}/healthz`, { trust: [] })).rejects.toThrow(/certificate/)
})

test('the keys belong to the service’s account alone', async () => {
  await using app = await startTestApp({ env: { REEVE_TLS: 'local' } })
  const mode = async (name: string): Promise<string> =>
    ((await stat(join(app.dataFolder, 'certificates', name))).mode & 0o777).toString(8)
  expect([await mode('.'), await mode('authority.pem'), await mode('server.pem')]).toEqual(['700', '600', '600'])
})

test('without TLS of its own the service has no certificate to give', async () => {
  await using app = await startTestApp()
  const ann = await app.as('ann')
  expect(await ann.call(contract.certificates.state)).toEqual({ tls: 'off', ca: null, server: null })
  const page = await ann.call(contract.certificates.page)
  expect([page.status, page.headers.get('location')]).toEqual([303, '/help/certificates'])
  const refused = await ann.call(contract.certificates.download).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ProblemAnswer)
  expect(refused).toMatchObject({ status: 404, code: 'certificate_missing' })
})
