import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser, screenshot } from '../stage/browser.ts'
import { PASSWORD } from '../stage/people.ts'
import { readingModule } from '../stage/modules/reading-module.ts'
import { until } from '../stage/wait.ts'
import { expectFits, messageBox, openVisitor, type Visitor } from './visitor.ts'

describe('what modules have to read', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp({ builtins: [readingModule] }))
    const admin = await app.as('admin')
    await until(async () => (await admin.call(contract.chat.listResourceModules)).items.length > 0)
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
    await page.goto('/chat')
    await messageBox(page).waitFor()
  })
  afterAll(() => opened.disposeAsync())

  const attachments = () => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
  const dialog = () => page.getByRole('dialog')
  async function openDialog(): Promise<void> {
    await page.getByRole('button', { name: 'Attach', exact: true }).click()
    await page.getByRole('menuitem', { name: 'From a module…' }).click()
    await dialog().getByRole('searchbox', { name: 'Search what modules offer' }).waitFor()
  }

  test('is found by words and attached with the keyboard alone, and says where it is from', async () => {
    await openDialog()
    await expectFits(visitor)
    await screenshot(page, 'resources-light')
    await page.keyboard.type('begin')
    await until(async () => (await dialog().getByRole('listitem').count()) === 1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await dialog().waitFor({ state: 'detached' })
    await attachments().getByText('start.md').waitFor()
    expect(await attachments().innerText()).toContain('from Reader')
    await messageBox(page).fill('What does it say?')
    await messageBox(page).press('Enter')
    const link = page.getByRole('link', { name: /start\.md/ })
    await link.waitFor()
    expect(await link.innerText()).toContain('from Reader')
    await page.goto('/files')
    await page.getByRole('navigation', { name: 'Files' }).getByText('from Reader').waitFor()
    await page.goto('/chat')
  })

  test('of a family is filled in with the help of suggestions', async () => {
    await messageBox(page).waitFor()
    await openDialog()
    await dialog()
      .getByRole('button', { name: /Log of a day/ })
      .click()
    await dialog().getByRole('button', { name: 'Read and attach' }).click()
    expect(await dialog().getByText('Enter some text.').count()).toBe(2)
    await dialog().getByRole('textbox', { name: 'host' }).fill('web')
    await dialog().getByRole('textbox', { name: 'day' }).fill('tue')
    const suggestions = dialog().getByRole('list', { name: 'Suggestions for day' })
    await suggestions.getByRole('button', { name: 'tuesday' }).waitFor()
    await suggestions.getByText('Reader suggests').waitFor()
    await dialog().getByText('log://web/tue', { exact: true }).waitFor()
    await expectFits(visitor)
    await screenshot(page, 'resource-form')
    await suggestions.getByRole('button', { name: 'tuesday' }).click()
    await suggestions.waitFor({ state: 'detached' })
    await dialog().getByText('log://web/tuesday', { exact: true }).waitFor()
    await dialog().getByRole('button', { name: 'Read and attach' }).click()
    await attachments().getByText('log tuesday.txt').waitFor()
  })

  test('that cannot be read says why, and the next can', async () => {
    visitor.expectMessage(/503.*resources\/read/)
    await openDialog()
    await dialog()
      .getByRole('button', { name: /broken/ })
      .click()
    await dialog().getByText('The page is torn.').waitFor()
    await dialog().getByRole('button', { name: /Logo/ }).click()
    await attachments().getByText('logo.png').waitFor()
    expect(await dialog().count()).toBe(0)
  })

  test('asks on a phone where a rule asks', async () => {
    const role = { name: 'Asked', rules: [{ subject: 'tool:reader.*', effect: 'ask' as const }] }
    const admin = await app.as('admin')
    const { role_id } = (await admin.call(contract.accounts.createRole, { body: role })).role
    await admin.call(contract.accounts.createUser, {
      body: { username: 'ben', display_name: 'Ben', password: PASSWORD, role_id },
    })
    await using phone = await openVisitor(browser, app.url, { phone: true })
    phone.expectMessage(/\/api\/auth\/session\b/)
    await phone.signIn('ben')
    page = phone.page
    await page.goto('/chat')
    await messageBox(page).waitFor()
    await openDialog()
    await dialog()
      .getByRole('button', { name: /First page/ })
      .click()
    await dialog().getByText('A rule asks before this is read.').waitFor()
    await screenshot(page, 'resource-asks-phone')
    await dialog().getByRole('button', { name: 'Back' }).click()
    await dialog()
      .getByRole('button', { name: /First page/ })
      .click()
    await dialog().getByRole('button', { name: 'Read and attach' }).click()
    await attachments().getByText('start.md').waitFor()
    expect(await attachments().count()).toBe(1)
  })
})
