import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { screenshot } from '../stage/browser.ts'
import { oauthServer } from '../stage/servers/oauth-server.ts'
import { openModulePages, type ModulePages } from './module-pages.ts'

let pages: ModulePages
beforeAll(async () => {
  pages = await openModulePages()
})
afterAll(() => pages[Symbol.asyncDispose]())

test('a server is connected by OAuth, taken back there, and connected again', async () => {
  await using server = await oauthServer()
  const { app, page, visitor } = pages
  // The one address of somebody else that this page leads to.
  visitor.expectMessage(/^foreign request: \S+\/authorize\?/)
  const admin = await app.as('admin')
  const params = { module_name: 'far' }
  const body = { name: 'far', display_name: 'Far away', url: server.url, allow_private: true }
  await admin.call(contract.modules.addRemote, { body })
  await page.goto(`${app.url}/modules/far?tab=settings`)
  await page.getByLabel(/^Sign-in by OAuth/).selectOption({ label: 'One connection for everybody' })
  await pages.button(/^Save/).click()
  await page.getByText('Connection for everybody', { exact: true }).waitFor()
  await visitor.expectAccessible()
  await screenshot(page, 'module-connection-never')
  await page.getByRole('button', { name: /^Connect\b/ }).click()
  await page.getByRole('link', { name: 'Agree' }).click()
  await page.getByText(/^Connected by 127\.0\.0\.1:\d+ since/).waitFor()
  await admin.call(contract.modules.enable, { params, body: {} })
  server.revoke()
  await admin.call(contract.modules.health, { params })
  await page.goto(`${app.url}/modules/far`)
  await page.getByText('What was granted has ended or was taken back. Connect it again.').waitFor()
  await page.setViewportSize({ width: 360, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await screenshot(page, 'module-connection-lost')
  await page.getByRole('button', { name: /^Connect again/ }).click()
  await page.getByRole('link', { name: 'Agree' }).click()
  await page.getByText(/^Connected by/).waitFor()
  await page.setViewportSize({ width: 1280, height: 900 })
  // Each person's own: the administrator's lists the tools, so there is nothing to connect under Account.
  await page.goto(`${app.url}/account?tab=connections`)
  await page.getByText('Nothing to connect').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await screenshot(page, 'account-connections-none')
  await visitor.expectAccessible()
})
