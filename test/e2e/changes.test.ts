import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser, screenshot } from '../stage/browser.ts'
import { messageBox, say, DESKTOP, openVisitor, PHONE, type Visitor } from './visitor.ts'

const BEFORE = 'listen 80\nserver_name old.example.com\nroot /srv/www\n'
const AFTER = `listen 443 ssl\nserver_name new.example.com\nroot /srv/www\n${Array.from({ length: 40 }, (_, i) => `location /${i} {}\n`).join('')}`

describe('what would change, what changed, and undo', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  let file_id: string

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    const admin = await app.as('admin')
    const headers = { 'x-file-name': 'site.conf' }
    file_id = (await admin.call(contract.files.upload, { headers, body: Buffer.from(BEFORE) })).file.file_id
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  async function looksRight(name: string) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await visitor.expectAccessible()
      await screenshot(page, `${name}-${colorScheme}`)
    }
    await page.setViewportSize(PHONE)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await screenshot(page, `${name}-phone`)
    await page.setViewportSize(DESKTOP)
    await page.emulateMedia({ colorScheme: 'light' })
  }

  const content = async () => {
    const admin = await app.as('admin')
    return (await admin.call(contract.files.download, { params: { file_id } })).text()
  }

  test('the card shows the difference, folded, and the call says that it took', async () => {
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, `/files.write ${JSON.stringify({ name: 'site.conf', text: AFTER, replaces: file_id })}`)
    const card = page.getByRole('article', { name: 'Write a file' })
    const preview = card.getByRole('region', { name: 'What would change' })
    await preview.getByText('-listen 80').waitFor()
    await looksRight('preview-card')
    expect(await preview.getByText('+location /39').count()).toBe(0)
    await preview.getByRole('button', { name: /^Show all/ }).click()
    await preview.getByText('+location /39 {}').waitFor()
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Verified', { exact: true }).waitFor()
    expect(await content()).toBe(AFTER)
  })

  test('the page lists it with its diff, and undo is a call with a card of its own', async () => {
    await page.goto('/approvals')
    await page.getByRole('link', { name: 'What changed' }).click()
    await page.getByRole('heading', { level: 1, name: 'What changed' }).waitFor()
    const row = page.getByRole('listitem').filter({ hasText: 'site.conf' })
    await row.getByRole('button', { name: /site\.conf Write a file/ }).click()
    await row.getByText('-server_name old.example.com').waitFor()
    await looksRight('changes')
    await row.getByRole('button', { name: 'Undo site.conf' }).click()
    const card = page.getByRole('article', { name: 'Take back a written file' })
    await card.getByText('+server_name old.example.com').waitFor()
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('is as it was before').first().waitFor()
    expect(await content()).toBe(BEFORE)
    await page.goto('/approvals?view=changes')
    await page.getByText('Undone', { exact: true }).waitFor()
    await page.getByText('Took a change back', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0)
  })
})
