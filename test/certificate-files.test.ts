import { createPrivateKey } from 'node:crypto'
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../server/app/app.ts'
import { CertificateError } from '../server/certificates/certificate-error.ts'
import { openCertificates } from '../server/certificates/certificates.ts'
import type { KeyPair } from '../server/certificates/key-pair.ts'
import { makeAuthority, makeServerCertificate } from '../server/certificates/make-certificate.ts'
import { readConfig } from '../server/app/config.ts'
import { openLog } from '../server/kernel/log.ts'
import { startTestApp, testEnvironment } from './stage/app.ts'
import { httpsRequest } from './stage/servers/https-request.ts'

const DAY = 24 * 3600_000
const TODAY = Date.now()
const log = openLog('silent')

let folder = ''
let authority: KeyPair
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-tls-'))
  authority = await makeAuthority('A company', { from: TODAY - DAY, to: TODAY + 100 * DAY })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Makes a certificate of the company's authority, valid for these days from now. */
function issue(from = -1, to = 60): Promise<KeyPair> {
  return makeServerCertificate(
    ['reeve.example', '127.0.0.1'],
    { from: TODAY + from * DAY, to: TODAY + to * DAY },
    {
      privateKey: createPrivateKey(authority.key),
      certificate: Buffer.from(authority.cert.replace(/-----.*-----|\n/g, ''), 'base64'),
    },
  )
}

let count = 0
async function store(text: string): Promise<string> {
  const file = join(folder, `${++count}.pem`)
  await writeFile(file, text)
  return file
}
const open = (cert: string, key: string) =>
  openCertificates({ tls: { mode: 'files', cert, key }, dataFolder: folder, log })

describe('a certificate in files', () => {
  test('is what the service shows, with its chain, and tells browsers to stay with HTTPS', async () => {
    const { key, cert } = await issue()
    const env = {
      REEVE_TLS: 'files',
      REEVE_TLS_CERT: await store(cert + authority.cert),
      REEVE_TLS_KEY: await store(key),
    }
    await using app = await startTestApp({ env })
    const named = { trust: authority.cert, name: 'reeve.example', headers: { host: 'reeve.example' } }
    const answer = await httpsRequest(`${app.url}/healthz`, named)
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([200, 'max-age=15552000'])
    const byAddress = await httpsRequest(`${app.url}/healthz`, { trust: authority.cert })
    expect(byAddress.headers['strict-transport-security']).toBeUndefined()
  })

  test('may stand in one file with its key', async () => {
    const { key, cert } = await issue()
    const file = await store(key + cert)
    const { source, pair } = await open(file, file)
    expect(pair!.cert).toContain(cert.trim())
    expect(source!.authority).toBeNull()
  })

  test('is taken anew when the files change, also behind a link; a pair that does not fit is not', async () => {
    const [first, second, third] = [await issue(), await issue(), await issue()]
    const [cert, key] = [await store(first.cert), await store(first.key)]
    const link = join(folder, 'link.pem')
    await symlink(cert, link)
    const certificates = await open(link, key)
    const taken: KeyPair[] = []
    const refresh = () => certificates.refresh((pair) => void taken.push(pair))
    await refresh()
    expect(taken).toEqual([])

    await writeFile(cert, second.cert)
    await expect(refresh()).rejects.toThrow(/REEVE_TLS_KEY.* is not the one of the first certificate/)
    // Told once: nothing changed since.
    await refresh()
    expect([taken, certificates.pair!.cert]).toEqual([[], first.cert])
    await writeFile(key, second.key)
    await refresh()
    expect(taken).toEqual([second])

    await rm(key)
    await expect(refresh()).rejects.toThrow(/REEVE_TLS_KEY, .*, cannot be read \(ENOENT\)/)
    await writeFile(key, third.key)
    const target = await store(third.cert)
    await symlink(target, `${link}.new`)
    await rename(`${link}.new`, link)
    await refresh()
    expect(taken).toEqual([second, third])
  })

  test('that cannot be used stops the start with one sentence', async () => {
    const [good, other] = [await issue(), await issue()]
    const wrong = createPrivateKey(good.key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    })
    const cases: [cert: string, key: string, message: RegExp][] = [
      [
        join(folder, 'none.pem'),
        await store(good.key),
        /^The file of REEVE_TLS_CERT, .*, cannot be read \(ENOENT\)\.$/,
      ],
      [await store(good.cert), folder, /REEVE_TLS_KEY, .*, cannot be read \(EISDIR\)/],
      [await store(good.key), await store(good.key), /REEVE_TLS_CERT, .*, has no certificate in PEM/],
      [await store(good.cert), await store(good.cert), /REEVE_TLS_KEY, .*, has no private key in PEM/],
      [await store(good.cert), await store(String(wrong)), /a passphrase: store it without one/],
      [await store(good.cert), await store(other.key), /not the one of the first certificate/],
      [await store(authority.cert + good.cert), await store(good.key), /not the one of the first certificate/],
      [await store(good.cert.replace('MI', 'XX')), await store(good.key), /has a certificate that is damaged/],
    ]
    const old = await issue(-30, -1)
    cases.push([await store(old.cert), await store(old.key), /ended on \d{4}-\d\d-\d\d: get a new one/])
    const early = await issue(2, 30)
    cases.push([await store(early.cert), await store(early.key), /begins on .*: look at the clock/])
    for (const [cert, key, message] of cases) {
      const failure = await open(cert, key).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(CertificateError)
      expect((failure as Error).message).toMatch(message)
    }
    const data = join(folder, 'data')
    const env = await testEnvironment(data, {
      env: { REEVE_TLS: 'files', REEVE_TLS_CERT: cases[0]![0], REEVE_TLS_KEY: cases[0]![1], REEVE_LOG_LEVEL: 'silent' },
    })
    await expect(startApp(readConfig(env))).rejects.toThrow(CertificateError)
  })
})

describe('settings of TLS', () => {
  const tls = (env: Record<string, string>) => readConfig(env).tls
  test('follow the address when nothing is said', () => {
    expect(tls({})).toEqual({ mode: 'off' })
    expect(tls({ REEVE_HOST: '::1' })).toEqual({ mode: 'off' })
    expect(tls({ REEVE_HOST: '0.0.0.0' })).toMatchObject({ mode: 'local' })
    expect(tls({ REEVE_HOST: '0.0.0.0', REEVE_TLS: 'off' })).toEqual({ mode: 'off' })
    const names = { REEVE_PUBLIC_URL: 'https://reeve.example:8443', REEVE_TLS_NAMES: 'nas.lan, 10.0.0.9' }
    expect(tls({ REEVE_HOST: '10.0.0.5', ...names })).toEqual({
      mode: 'local',
      names: ['reeve.example', 'nas.lan', '10.0.0.9', '10.0.0.5'],
    })
  })

  test.each([
    [{ REEVE_TLS: 'maybe' }, /REEVE_TLS is not usable/],
    [{ REEVE_TLS: 'files' }, /REEVE_TLS_CERT and REEVE_TLS_KEY have to name/],
    [{ REEVE_TLS: 'files', REEVE_TLS_CERT: '/a.pem' }, /REEVE_TLS_CERT and REEVE_TLS_KEY have to name/],
    [{ REEVE_TLS_CERT: '/a.pem', REEVE_TLS_KEY: '/b.pem' }, /set REEVE_TLS=files to use them/],
    [{ REEVE_TLS: 'off', REEVE_TLS_NAMES: 'a.example' }, /set REEVE_TLS=local/],
    [{ REEVE_TLS: 'local', REEVE_TLS_NAMES: 'a b' }, /"a b", which is neither a host name nor an address/],
    [{ REEVE_TLS: 'local', REEVE_TLS_NAMES: 'https://a.example' }, /neither a host name nor an address/],
    [{ REEVE_TLS: 'local', REEVE_PUBLIC_URL: 'http://a.example' }, /speaks HTTPS only \(REEVE_TLS is local\)/],
    [{ REEVE_HOST: '0.0.0.0', REEVE_PUBLIC_URL: 'http://a.example' }, /local unless you set it/],
  ])('that contradict each other stop the start: %j', (env, message) => {
    expect(() => tls(env)).toThrow(message)
  })
})
