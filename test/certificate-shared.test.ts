import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Database } from '../server/db/database.ts'
import { LOCAL_CA_SETTING } from '../server/db/snapshot/kept-tables.ts'
import { PASSWORD } from './stage/people.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { httpsRequest, pemOf } from './stage/servers/https-request.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'

const env = { REEVE_TLS: 'local', REEVE_SECRET_KEY: 'c4'.repeat(32) }
const on = (url: string) => ({ database: { name: 'postgres' as const, url: () => Promise.resolve(url) }, env })

/** What people import, as a process offers it to somebody who has clicked the warning away. */
async function downloaded(service: TestProcess, path: '/api/setup' | '/api/auth/login'): Promise<Buffer> {
  const token = path === '/api/setup' ? { token: new URL(service.setupLink!).searchParams.get('token') } : {}
  const body = { ...token, username: 'admin', password: PASSWORD }
  const entered = await httpsRequest(service.url + path, { trust: 'anybody', method: 'POST', body })
  const [line = ''] = entered.headers['set-cookie'] ?? []
  const headers = { cookie: line.split(';')[0]! }
  const answer = await httpsRequest(`${service.url}/certificate/download`, { trust: 'anybody', headers })
  expect(answer.status).toBe(200)
  return answer.body
}
const certificatesOf = ({ dataFolder }: TestProcess) => join(dataFolder, 'certificates')
const trusts = async (trust: string, { url }: TestProcess) =>
  (await httpsRequest(`${url}/healthz`, { trust })).status === 200

describe.runIf(databases.some(({ name }) => name === 'postgres'))('the local CA of several processes', () => {
  test('is one for those that start at once on a database, which has it sealed', { timeout: 60_000 }, async () => {
    const url = await createDatabase()
    await using closing = new AsyncDisposableStack()
    const [a, b] = (await Promise.all([startProcess(on(url)), startProcess(on(url))])).map((one) => closing.use(one))
    const authority = await downloaded(a!, '/api/setup')
    expect((await downloaded(b!, '/api/auth/login')).equals(authority)).toBe(true)
    for (const one of [a!, b!]) {
      expect(await trusts(pemOf(authority), one)).toBe(true)
      // For operators; the key is in the database alone.
      expect((await readdir(certificatesOf(one))).sort()).toEqual(['Service-Local-CA.cer', 'server.pem'])
      expect((await readFile(join(certificatesOf(one), 'Service-Local-CA.cer'))).equals(authority)).toBe(true)
    }
    const fail = (error: Error): never => {
      throw error
    }
    const db = closing.use(await Database.open({ url, folder: a!.dataFolder, onError: fail, asItIs: true }))
    const row = await db.read
      .selectFrom('setting')
      .select('value')
      .where('key', '=', LOCAL_CA_SETTING)
      .executeTakeFirstOrThrow()
    expect(Object.keys(JSON.parse(row.value) as object)).toEqual(['sealed'])
    expect(row.value).not.toMatch(/BEGIN|PRIVATE/)
  })

  test('is that of the installation that was there before, unchanged', { timeout: 60_000 }, async () => {
    await using closing = new AsyncDisposableStack()
    const a = closing.use(await startProcess({ env }))
    const file = join(certificatesOf(a), 'authority.pem')
    const [kept, trust] = [await readFile(file), pemOf(await readFile(join(certificatesOf(a), 'Service-Local-CA.cer')))]
    expect(await trusts(trust, a)).toBe(true)

    const url = await createDatabase()
    await a.restart({ REEVE_DATABASE_URL: url })
    expect(await trusts(trust, a)).toBe(true)
    const b = closing.use(await startProcess(on(url)))
    expect(await trusts(trust, b)).toBe(true)
    expect(await readdir(certificatesOf(b))).not.toContain('authority.pem')
    // The way back is open.
    expect((await readFile(file)).equals(kept)).toBe(true)
  })
})
