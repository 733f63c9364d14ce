import { createHash, createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startTestApp } from '../stage/app.ts'
import { axeSerious, openBrowser } from '../stage/browser.ts'
import { PASSWORD } from '../stage/people.ts'
import { pictures } from './pictures.ts'
import { DESKTOP } from './visitor.ts'

const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15'

test('the page on certificates opens the steps of the own system, and its fingerprint is that of the file', async () => {
  await using app = await startTestApp({
    env: { REEVE_TLS: 'local', REEVE_ADMIN_USERNAME: 'admin', REEVE_ADMIN_PASSWORD: PASSWORD },
  })
  const browser = await openBrowser()
  try {
    const context = await browser.newContext({
      baseURL: app.url,
      viewport: DESKTOP,
      // Nobody trusts it yet: this page is where one comes to change that.
      ignoreHTTPSErrors: true,
      userAgent: MAC,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await context.newPage()
    await page.goto('/login')
    await page.getByRole('textbox', { name: 'Username' }).fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL((url) => url.pathname === '/')
    await page.goto('/certificate')
    expect(new URL(page.url()).pathname).toBe('/help/certificates')

    await page.getByText('Probably your system').waitFor()
    const titles = await page.locator('details > summary').allTextContents()
    expect(titles[0]).toContain('macOS')
    expect(titles).toHaveLength(7)
    await page.getByText('Keychain Access').first().waitFor()
    expect(await axeSerious(page)).toEqual([])
    await pictures(page, 'help-certificates')

    await page.getByRole('button', { name: 'Copy fingerprint' }).first().click()
    const shown = await page.evaluate(() => navigator.clipboard.readText())
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download', exact: true }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('Service-Local-CA.cer')
    const bytes = await readFile(await file.path())
    expect(shown.replaceAll(':', '').toLowerCase()).toBe(createHash('sha256').update(bytes).digest('hex'))

    // The key that signs receipts has its own fingerprint: that of the key in the file.
    await page.getByRole('button', { name: 'Copy fingerprint' }).last().click()
    const fingerprint = await page.evaluate(() => navigator.clipboard.readText())
    const keys = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download public keys' }).click()
    const pem = await readFile(await (await keys).path(), 'utf8')
    const der = createPublicKey(pem).export({ type: 'spki', format: 'der' })
    expect(fingerprint.replaceAll(':', '').toLowerCase()).toBe(createHash('sha256').update(der).digest('hex'))

    // Every other system is one press away.
    await page.getByText('iPhone and iPad').click()
    await page.getByText('Certificate Trust Settings').waitFor()
  } finally {
    await browser.close()
  }
})
