import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { runCounter, runsOf } from '../stage/modules/counter-stage.ts'
import type { TestClient } from '../stage/client.ts'
import { databases } from '../stage/servers/postgres.ts'
import { S3_BUCKET, S3_KEYS, startS3Server } from '../stage/servers/s3-server.ts'
import { until } from '../stage/wait.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

describe.each(databases.filter(({ name }) => name === 'postgres'))('where a module runs', (database) => {
  const opened = new AsyncDisposableStack()
  let admin: TestClient
  let visitor: Visitor
  let page: Page
  beforeAll(async () => {
    const s3 = opened.use(await startS3Server())
    const app = opened.use(
      await startTestApp({
        database,
        env: {
          REEVE_FILES_URL: `s3://${S3_BUCKET}/reeve?endpoint=${encodeURIComponent(s3.url)}&path_style=true`,
          REEVE_FILES_ACCESS_KEY: S3_KEYS.access,
          REEVE_FILES_SECRET_KEY: S3_KEYS.secret,
        },
      }),
    )
    admin = await app.as('admin')
    await runCounter(admin)
    const browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    ;({ page } = visitor)
  })
  afterAll(() => opened.disposeAsync())

  test('its page says where, and when its data were last kept', async () => {
    await page.goto('/modules/counter')
    await page.getByText('One for all processes').waitFor()
    await page.getByText('the default', { exact: true }).waitFor()
    await page.getByText(/^On .+, since /).waitFor()
    await page
      .getByText(/Not kept yet|^\w.+, [\d.,]+\s(byte|B|KiB)/)
      .first()
      .waitFor()
    expect(await runsOf(admin)).toMatchObject({ instances: 'singleton', owner: { here: true } })
    await visitor.expectAccessible()
    await expectFits(visitor)
    await page.getByRole('heading', { name: 'Where it runs' }).scrollIntoViewIfNeeded()
    await pictures(page, 'module-places')
  })

  test('an administrator has each process run its own, and takes that back', async () => {
    const change = page.getByRole('button', { name: 'Change copies' })
    const dialog = page.getByRole('dialog', { name: 'Copies of The counter' })
    const copies = dialog.getByRole('combobox', { name: 'Copies' })
    await change.click()
    expect(await copies.locator('option:checked').textContent()).toBe('Default: One for all processes')
    await copies.selectOption({ label: 'One in each process' })
    await dialog.getByText(/Each process then has a data folder of its own/).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'module-copies')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('chosen by an administrator').waitFor()
    await expect.poll(() => page.getByText(/^On .+, since /).count()).toBe(0)
    expect(await runsOf(admin)).toMatchObject({ instances: 'stateless', chosen: 'stateless', owner: null, data: null })

    await change.click()
    await copies.selectOption({ label: 'Default: One for all processes' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('the default', { exact: true }).waitFor()
    await until(async () => (await runsOf(admin))?.owner?.here === true, { what: 'it runs for all again' })
    await page.goto('/admin/audit')
    const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
    await entries.filter({ hasText: 'Changed the copies of a module' }).first().waitFor()
  })
})
