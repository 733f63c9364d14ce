import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { PASSWORD } from '../stage/people.ts'
import { pictures } from './pictures.ts'
import { openVisitor, type Visitor } from './visitor.ts'

describe('what wants a fresh sign-in', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    const admin = await app.as('admin')
    await admin.call(contract.modules.uninstallBuiltin, { params: { module_name: 'http' } })
    const browser: Browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    ;({ page } = visitor)
    visitor.expectMessage(/403 \(Forbidden\)/)
    visitor.expectMessage(/\/api\/auth\/confirm\b/)
    await visitor.signIn('admin')
  })
  afterAll(() => opened.disposeAsync())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = () => page.getByRole('dialog', { name: 'Confirm it’s you' })
  /** As if an hour had gone by since the sign-in. */
  const age = () =>
    app.app.db.transaction((trx) =>
      trx
        .updateTable('session')
        .set({ confirmed_at: Date.now() - 3_600_000 })
        .execute(),
    )

  test('asks in a dialog over the one that is open, and goes on with what was asked for', async () => {
    await page.goto('/account')
    await age()
    await button('Set up an authenticator app').click()
    await dialog().waitFor()
    await pictures(page, 'confirm')
    await visitor.expectAccessible()
    await dialog().getByLabel('Current password').fill('wrong')
    await dialog().getByRole('button', { name: 'Confirm' }).click()
    await dialog().getByText('That did not work').waitFor()
    await dialog().getByLabel('Current password').fill(PASSWORD)
    await dialog().getByRole('button', { name: 'Confirm' }).click()
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(1)
    await button('Cancel').click()
  })

  test('who would not confirm gets the reason, and nothing else', async () => {
    await page.goto('/account')
    await age()
    await button('Set up an authenticator app').click()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Confirm your identity: enter your password').waitFor()
    expect(await page.getByRole('img', { name: 'QR code for the authenticator app' }).count()).toBe(0)
    await page.keyboard.press('Escape')
  })

  test('a backup of a module is downloaded after the answer', async () => {
    await page.goto('/modules')
    await age()
    await page.getByRole('link', { name: 'Download HTTP' }).click()
    await dialog().getByLabel('Current password').fill(PASSWORD)
    const download = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    expect((await download).suggestedFilename()).toMatch(/^http-.*\.mcpb$/)
  })
})
