import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CertificateError } from '../server/certificates/certificate-error.ts'
import { openCertificates } from '../server/certificates/certificates.ts'
import { openLog } from '../server/kernel/log.ts'
import { openFixture } from './stage/servers/http-fixture.ts'
import { httpsRequest, pemOf } from './stage/servers/https-request.ts'

const DAY = 24 * 3600_000
const START = Date.UTC(2030, 0, 1)
const log = openLog('silent')

let folder = ''
let now = START
let addresses: string[] = []
let host = 'Attic'
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-authority-'))
  now = START
  addresses = ['10.0.0.5', 'fe80::1', 'fd00:0:0::5']
  host = 'Attic'
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function open() {
  const options = { now: () => now, machine: () => ({ hostname: host, addresses }), dataFolder: folder, log }
  const opened = await openCertificates({ ...options, tls: { mode: 'local', names: ['reeve.example', '0.0.0.0'] } })
  return { ...opened, source: opened.source!, refreshed: async () => opened.source!.refresh() }
}
type Opened = Awaited<ReturnType<typeof open>>

const namesOf = ({ source }: Opened): string => source.pair.certificate.subjectAltName ?? ''
const fingerprint = ({ source }: Opened): string => source.authority!.fingerprint256
const authorityFile = (): string => join(folder, 'certificates', 'authority.pem')

describe('the local authority', () => {
  test('vouches for servers only, and stays the same', async () => {
    const first = await open()
    const { authority, pair } = first.source
    expect(authority!.ca).toBe(true)
    expect(authority!.validToDate.toISOString()).toBe('2040-01-01T00:00:00.000Z')
    expect(pair.certificate.ca).toBe(false)
    expect(pair.certificate.verify(authority!.publicKey)).toBe(true)
    const lifetime = pair.certificate.validToDate.getTime() - pair.certificate.validFromDate.getTime()
    expect(lifetime).toBeLessThanOrEqual(397 * DAY)
    const again = await open()
    expect(fingerprint(again)).toBe(fingerprint(first))
    expect(again.source.pair.pem).toEqual(pair.pem)
    const carried = new X509Certificate(await readFile(join(folder, 'certificates', 'Service-Local-CA.cer')))
    expect(carried.fingerprint256).toBe(fingerprint(first))
  })

  test('is one, however many processes make it at once', async () => {
    const certificates = JSON.stringify(new URL('../server/certificates/certificates.ts', import.meta.url).href)
    const program = `
      const { openCertificates } = await import(${certificates})
      const log = { info() {}, warn() {} }
      const tls = { mode: 'local', names: [] }
      const { source } = await openCertificates({ tls, dataFolder: ${JSON.stringify(folder)}, log })
      console.log(source.authority.fingerprint256, source.pair.certificate.verify(source.authority.publicKey))`
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    const outputs = (await Promise.all([run(), run(), run()])).map(({ stdout }) => stdout)
    expect(new Set(outputs).size).toBe(1)
    expect(outputs[0]).toMatch(/^[0-9A-F:]{95} true\n$/)
    const many = await Promise.all(Array.from({ length: 12 }, open))
    expect(new Set(many.map(fingerprint)).size).toBe(1)
    expect((await readdir(join(folder, 'certificates'))).sort()).toEqual([
      'Service-Local-CA.cer',
      'authority.pem',
      'server.pem',
    ])
  })

  test('is replaced only when its time is over, and put aside then', async () => {
    const first = await open()
    now = Date.UTC(2039, 11, 20)
    expect(await first.refreshed()).toBe(true)
    expect(first.source.pair.certificate.validToDate.getTime()).toBe(first.source.authority!.validToDate.getTime())
    // Nothing can be won by making it again: it cannot outlive its authority.
    expect(await first.refreshed()).toBe(false)
    const before = fingerprint(first)
    now = Date.UTC(2040, 0, 1)
    expect(await first.refreshed()).toBe(true)
    expect(fingerprint(first)).not.toBe(before)
    expect(first.source.pair.certificate.verify(first.source.authority!.publicKey)).toBe(true)
    expect(await readdir(join(folder, 'certificates'))).toContain('authority-until-2040-01-01.pem')
  })

  test.each([
    ['cut off', (text: string) => text.slice(0, 300), /authority\.pem has no .* in PEM/],
    ['damaged', (text: string) => text.replace(/MII/, 'AAA').replace(/\nMI/, '\nAA'), /that is damaged/],
    ['empty', () => '', /has no certificate in PEM/],
  ])('that is %s stops the start with a sentence, and is left as it is', async (_what, change, message) => {
    await open()
    const broken = change(await readFile(authorityFile(), 'utf8'))
    await writeFile(authorityFile(), broken)
    const failure = await open().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(CertificateError)
    expect((failure as Error).message).toMatch(message)
    expect((failure as Error).message).toMatch(/Put it back from a backup/)
    expect(await readFile(authorityFile(), 'utf8')).toBe(broken)
  })

  test('with a key that is not its own, or a certificate of a server, stops the start', async () => {
    const { source } = await open()
    const text = await readFile(authorityFile(), 'utf8')
    const [, cert = ''] = text.split(/(?<=END PRIVATE KEY-----\n)/)
    await writeFile(authorityFile(), source.pair.pem.key + cert)
    await expect(open()).rejects.toThrow(/is not the one of the first certificate/)
    await writeFile(authorityFile(), source.pair.pem.key + source.pair.pem.cert)
    await expect(open()).rejects.toThrow(/may not vouch for others/)
  })

  test('that others could read is closed to them', async () => {
    await open()
    await chmod(authorityFile(), 0o644)
    await open()
    expect((await stat(authorityFile())).mode & 0o777).toBe(0o600)
  })
})

describe('the certificate of the server', () => {
  test('has the names of the machine, and follows them', async () => {
    const certificates = await open()
    expect(namesOf(certificates)).toBe(
      'DNS:reeve.example, DNS:attic, DNS:attic.local, DNS:localhost, IP Address:10.0.0.5, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:FD00:0:0:0:0:0:0:5',
    )
    expect(await certificates.refreshed()).toBe(false)
    const before = fingerprint(certificates)
    addresses = ['10.0.0.6', 'fe80::2']
    host = 'cellar.lan'
    expect(await certificates.refreshed()).toBe(true)
    expect(namesOf(certificates)).toBe(
      'DNS:reeve.example, DNS:cellar.lan, DNS:cellar, DNS:cellar.local, DNS:localhost, IP Address:10.0.0.6, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    )
    expect(fingerprint(certificates)).toBe(before)
  })

  test('is made again when what is kept is damaged, was made under another clock or by another authority', async () => {
    const first = await open()
    const file = join(folder, 'certificates', 'server.pem')
    await writeFile(file, 'nothing')
    const second = await open()
    expect(second.source.pair.certificate.serialNumber).not.toBe(first.source.pair.certificate.serialNumber)
    now = START - 10 * DAY
    const third = await open()
    expect(third.source.pair.certificate.validFromDate.getTime()).toBeLessThan(now)
    await rm(authorityFile())
    const fourth = await open()
    expect(fourth.source.pair.certificate.verify(fourth.source.authority!.publicKey)).toBe(true)
  })

  test('is renewed while the service runs; connections that are open live on', async () => {
    const certificates = await open()
    const { server } = await openFixture({ tls: { ...certificates.pair!, local: true } })
    await using _closing = server
    const { port } = await server.listen()
    // The certificates of this test are of its own clock; the client has the real one, so it looks at serials only.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (own?: Agent) => httpsRequest(`https://127.0.0.1:${port}/healthz`, { trust: 'anybody', agent: own })
    const before = (await ask(agent)).serial
    expect((await ask()).serial).toBe(before)

    now += 365 * DAY
    expect(await certificates.refreshed()).toBe(false)
    now += 2 * DAY
    await certificates.refresh((pair) => server.useIdentity(pair))
    const after = (await ask()).serial
    expect(after).not.toBe(before)
    expect(after).toBe(certificates.source.pair.certificate.serialNumber)
    expect((await ask(agent)).reused).toBe(true)
    agent.destroy()
  })

  test('is trusted by who knew the authority before it was renewed', async () => {
    now = Date.now() - 370 * DAY
    const certificates = await open()
    const trust = pemOf(certificates.source.authority!.raw)
    const { server } = await openFixture({ tls: { ...certificates.pair!, local: true } })
    await using _closing = server
    const url = `https://127.0.0.1:${(await server.listen()).port}/healthz`
    expect((await httpsRequest(url, { trust })).status).toBe(404)
    now = Date.now()
    await certificates.refresh((pair) => server.useIdentity(pair))
    expect((await httpsRequest(url, { trust })).serial).toBe(certificates.source.pair.certificate.serialNumber)
  })
})
