import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { httpsRequest } from '../stage/servers/https-request.ts'
import { PASSWORD } from '../stage/people.ts'
import { openVisitor } from './visitor.ts'
import { skipReason } from '../stage/skip-reason.ts'

const ADMIN = { REEVE_ADMIN_USERNAME: 'admin', REEVE_ADMIN_PASSWORD: PASSWORD }

/** Does what a person does who clicks the warning away once, signs in and downloads the certificate. */
async function download({ url }: TestApp): Promise<Buffer> {
  const body = { username: 'admin', password: PASSWORD }
  const login = await httpsRequest(`${url}/api/auth/login`, { trust: 'anybody', method: 'POST', body })
  const cookie = (login.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
  return (await httpsRequest(`${url}/certificate/download`, { trust: 'anybody', headers: { cookie } })).body
}

/** Imports an authority into the list of certificates that Chromium keeps for a person on Linux. */
async function importInto(home: string, certificate: Buffer): Promise<void> {
  const file = join(home, 'Service-Local-CA.cer')
  await writeFile(file, certificate)
  const list = join(home, '.pki', 'nssdb')
  await mkdir(list, { recursive: true })
  execFileSync('certutil', ['-N', '--empty-password', '-d', `sql:${list}`])
  execFileSync('certutil', ['-A', '-d', `sql:${list}`, '-n', 'Reeve', '-t', 'C,,', '-i', file])
}

function certutilMissing(): string | null {
  try {
    execFileSync('certutil', ['-H'], { stdio: 'ignore' })
    return null
  } catch (error) {
    // It ends with a status of its own after its help.
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return skipReason(missing ? 'certutil is not installed (package libnss3-tools)' : null)
  }
}

test('Chromium refuses the service at first, and accepts it once its certificate is imported', async (context) => {
  const missing = certutilMissing()
  if (missing !== null) return context.skip(missing)
  await using app = await startTestApp({ env: { REEVE_TLS: 'local', ...ADMIN } })
  const home = await mkdtemp(join(tmpdir(), 'reeve-home-'))
  try {
    const stranger = await openBrowser({ home })
    const page = await stranger.newPage()
    await expect(page.goto(app.url)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
    await stranger.close()

    await importInto(home, await download(app))
    const browser = await openBrowser({ home })
    try {
      for (const base of [app.url, app.url.replace('127.0.0.1', 'localhost')]) {
        await using visitor = await openVisitor(browser, base)
        visitor.expectForeign(base.replace('https:', 'http:'))
        // Typed without https, as people do.
        await visitor.page.goto(`${base.replace('https:', 'http:')}/login`)
        expect(new URL(visitor.page.url()).origin).toBe(base)
        await visitor.signIn('admin')
        expect(await visitor.page.evaluate(() => isSecureContext)).toBe(true)
        const [cookie] = await visitor.context.cookies()
        expect(cookie).toMatchObject({ name: '__Host-reeve_session', secure: true, httpOnly: true })
      }
    } finally {
      await browser.close()
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
