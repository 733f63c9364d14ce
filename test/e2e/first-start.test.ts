import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { PASSWORD } from '../stage/people.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, tabTo, type Visitor } from './visitor.ts'

describe('first start, without an engine', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
  })
  afterAll(() => opened.disposeAsync())

  test('every page leads to setup, which wants the link of the log', async () => {
    const { page } = visitor
    await page.goto('/chat')
    await page.getByRole('heading', { name: 'Open the setup link' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/setup')
    await visitor.expectAccessible()
    visitor.expectMessage(/\/api\/setup\b/)
    await page.goto('/setup?token=wrong')
    await page.getByRole('textbox', { name: 'Username' }).fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create administrator' }).click()
    await page.getByRole('heading', { name: 'This setup link is not valid' }).waitFor()
    await visitor.expectAccessible()
  })

  test('the link makes the administrator, by keyboard alone', async () => {
    const { page } = visitor
    await page.goto(app.setupLink ?? '')
    await page.getByRole('heading', { name: 'Set up Reeve' }).waitFor()
    // The first field has the focus.
    await page.keyboard.type('ad min')
    await page.getByText('Only letters, digits and . _ @ - are allowed.').waitFor()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('admin')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Maria Keller')
    await page.keyboard.press('Tab')
    await page.keyboard.type('harbour')
    await page.getByText('characters needed').waitFor()
    expect(await page.getByRole('button', { name: 'Create administrator' }).isDisabled()).toBe(true)
    await visitor.expectAccessible()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(PASSWORD)
    await pictures(page, 'setup')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    await page.getByText('Ask a question, or type / in the message box to run a tool directly.').waitFor()
    await page.getByText('Questions cannot be answered yet', { exact: true }).waitFor()
    await visitor.expectAccessible()
  })

  test('a tool is found with / and run, by keyboard alone', async () => {
    const { page } = visitor
    await tabTo(page, page.getByRole('link', { name: 'Chat', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByText('No AI engine is set up, so questions cannot be answered').waitFor()
    // The cursor stands in the box of a new conversation.
    await expect.poll(() => messageBox(page).evaluate((box) => box === document.activeElement)).toBe(true)
    await visitor.expectAccessible()
    await page.getByRole('button', { name: 'Host overview' }).waitFor()
    await pictures(page, 'chat-direct')
    await page.keyboard.type('/')
    const tools = page.getByRole('listbox', { name: 'Tools' }).getByRole('option')
    await expect.poll(() => tools.count()).toBeGreaterThan(20)
    await visitor.expectAccessible()
    await pictures(page, 'tool-list')
    await page.keyboard.press('ArrowDown')
    expect(await tools.nth(1).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.type('system.h')
    await expect.poll(() => tools.count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByText('Host overview takes no arguments. Enter runs it.').waitFor()
    await visitor.expectAccessible()
    await page.keyboard.press('Enter')
    await (await lastAnswer(page)).getByRole('grid', { name: 'Host' }).waitFor()
    expect(await messageBox(page).inputValue()).toBe('')
    await visitor.expectAccessible()
    await pictures(page, 'table')
  })

  test('the table sorts by its headers and filters by text', async () => {
    const { page } = visitor
    const table = page.getByRole('grid', { name: 'Host' })
    const names = async (): Promise<string[]> => table.locator('[role=gridcell][aria-colindex="1"]').allInnerTexts()
    const asItWas = await names()
    // The grid has the focus, and begins at its first header.
    await tabTo(page, table)
    await page.keyboard.press('Enter')
    const sorted = asItWas.toSorted((a, b) => a.localeCompare(b, 'en'))
    await expect.poll(names).toEqual(sorted)
    expect(await page.getByRole('columnheader', { name: 'Property' }).getAttribute('aria-sort')).toBe('ascending')
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(sorted.toReversed())
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(asItWas)
    await page.getByRole('searchbox', { name: 'Search rows' }).fill('kernel')
    await expect.poll(names).toEqual(['Kernel'])
    await page.getByText(`1 of ${asItWas.length} rows`).waitFor()
    await page.getByRole('searchbox', { name: 'Search rows' }).fill('no such thing')
    await page.getByText('No rows match the search and filters.').waitFor()
    await visitor.expectAccessible()
  })

  test('plain words get an answer that says how it works without an engine', async () => {
    const { page } = visitor
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    await messageBox(page).fill('How full are the disks?')
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = await lastAnswer(page)
    expect(await answer.innerText()).toMatch(/no ai engine/i)
    expect(await answer.getByRole('code').or(answer.locator('code')).first().innerText()).toMatch(/\S/)
    await visitor.expectAccessible()
  })

  test('the dashboard leads back into the work', async () => {
    const { page } = visitor
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('link', { name: /How full are the disks/ }).waitFor()
    await visitor.expectAccessible()
    await page.getByRole('link', { name: /system\.host|Host overview/ }).click()
    await page.getByRole('grid', { name: 'Host' }).waitFor()
    expect(page.url()).toMatch(/\/chat\?c=cnv_/)
  })

  test('out and in again, back to the page that was wanted', async () => {
    const { page } = visitor
    visitor.expectMessage(/\/api\/auth\/(login|session)\b/)
    const wanted = new URL(page.url()).pathname + new URL(page.url()).search
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await visitor.expectAccessible()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(wanted)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'login')
    await page.getByRole('textbox', { name: 'Username' }).fill('admin')
    await page.getByLabel('Password', { exact: true }).fill('not my password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The username or the password is wrong.').waitFor()
    await visitor.expectAccessible()
    await visitor.signIn('admin')
    await page.getByRole('grid', { name: 'Host' }).waitFor()
    expect(page.url()).toContain(wanted)
  })
})
