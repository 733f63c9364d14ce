import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { makeBundle } from '../stage/modules/module-bundles.ts'
import { openModulePages, type ModulePages } from './module-pages.ts'
import { openVisitor, type Visitor } from './visitor.ts'

/** What the bundles of this test run. */
const PLAIN = readFileSync(join(import.meta.dirname, '../module-fixtures/plain-server.mjs'), 'utf8')
const HOSTILE = '# Read me\n\n<img src=x onerror=alert(1)> [away](javascript:alert(1)) <script>alert(2)</script>'

describe('modules in trouble, from elsewhere, and for others', () => {
  let pages: ModulePages
  let page: Page
  let visitor: Visitor
  beforeAll(async () => {
    pages = await openModulePages()
    ;({ page, visitor } = pages)
  })
  afterAll(() => pages[Symbol.asyncDispose]())

  test('what is no bundle is refused with why', async () => {
    await page.goto('/modules')
    await pages.drop('notes.mcpb', Buffer.from('not a zip'))
    const notice = page.getByRole('alert').filter({ hasText: 'notes.mcpb was not installed' })
    await notice.waitFor()
    await visitor.expectAccessible()
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await notice.waitFor({ state: 'detached' })
    expect(await page.getByRole('progressbar').count()).toBe(0)
  })

  test('a module that does not come up says so with its last lines', async () => {
    await page.goto('/modules')
    await pages.drop(
      'crasher.mcpb',
      await makeBundle({ name: 'crasher', env: { CRASH: 'no paper' }, manifest: { long_description: HOSTILE } }),
    )
    await pages.agree('Enable and start')
    await pages
      .dialog(/^Review/)
      .getByRole('alert')
      .getByText('It cannot go on: no paper')
      .waitFor()
    await visitor.expectAccessible()
    await pages.button('Not now').click()
    await page.getByRole('status').getByText('Off').waitFor()
    await page.getByRole('heading', { name: 'Read me' }).waitFor()
    expect(await page.locator('main img[src=x], main a[href^=javascript], main script').count()).toBe(0)
    await pages.tab('History').click()
    await page.getByText('Enabled').waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'Enabled' }).getByText('Failed').count()).toBe(1)
  })

  test('a module that goes away shows it by itself, with what it wrote last', async () => {
    await page.goto('/modules')
    const leaves = PLAIN.replace(
      'if (CRASH',
      'setTimeout(() => { console.error("out of ink"); process.exit(1) }, 1000)\nif (CRASH',
    )
    await pages.drop('quitter.mcpb', await makeBundle({ name: 'quitter', files: { 'server.mjs': leaves } }))
    await pages.agree('Enable and start')
    await page
      .getByRole('status')
      .getByText(/^(Restarting|Failed)$/)
      .waitFor()
    await pages.tab('Log').click()
    await page.getByRole('log').getByText('out of ink').first().waitFor()
    await visitor.expectAccessible()
    await page.goto('/modules')
    await page.getByRole('combobox', { name: 'Show' }).selectOption('attention')
    await pages
      .row('The quitter')
      .getByText(/^(Restarting|Failed)$/)
      .waitFor()
    await expect.poll(() => pages.row('System').count()).toBe(0)
  })

  test('a server by its address: private ones are refused unless that is wanted', async () => {
    await page.goto('/modules')
    await pages.button('Add a module').click()
    await pages.dialog('Add a module').getByRole('button', { name: 'Add by address' }).click()
    const form = pages.dialog('Add by address')
    await form.getByRole('textbox', { name: 'Address' }).fill('archive, please')
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Fern & Weit')
    expect(await form.getByRole('textbox', { name: 'Short name' }).inputValue()).toBe('fern-weit')
    await form.getByRole('button', { name: 'Add', exact: true }).click()
    await form.getByRole('textbox', { name: 'Address' }).and(page.locator('[aria-invalid=true]')).waitFor()
    await visitor.expectAccessible()
    await form.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/mcp')
    await form.getByRole('button', { name: 'Add', exact: true }).click()
    const review = pages.dialog('Review Fern & Weit')
    await review.getByText('http://127.0.0.1:9/mcp').waitFor()
    await pages.agree('Enable and start')
    await review.getByRole('alert').getByText('Fern & Weit was not enabled').waitFor()
    await visitor.expectAccessible()
    await pages.button('Not now').click()
    await pages.menu('Uninstall')
    await pages.agree('Uninstall')
    await pages.row('Fern & Weit').waitFor({ state: 'detached' })
  })

  test('the rules for all bundles', async () => {
    await pages.button('Change').click()
    const form = pages.dialog('Rules for all bundles')
    await form.getByRole('textbox', { name: /^Memory/ }).fill('12')
    await form.getByText('Enter a whole number from 64 to 65536.').waitFor()
    await form.getByRole('textbox', { name: /^Memory/ }).fill('300')
    await visitor.expectAccessible()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    await page.getByText(/^300.MiB$/).waitFor()
    const { policy } = await (await pages.app.as('admin')).call(contract.modules.policy)
    expect(policy.memory_mib).toBe(300)
  })

  test('unknown to everybody but administrators', async () => {
    await pages.app.as('carol')
    await using carol = await openVisitor(pages.browser, pages.app.url, { dark: true, phone: true })
    carol.expectMessage(/\/api\/auth\/session\b|403/)
    await carol.signIn('carol')
    expect(await carol.page.getByRole('link', { name: 'Modules' }).count()).toBe(0)
    await carol.page.goto('/modules')
    await carol.page.getByText('“Modules” is for administrators').waitFor()
    await carol.page.goto('/modules/system')
    await carol.page.getByText('“Modules” is for administrators').waitFor()
    await carol.expectAccessible()
    expect(carol.paths.filter((path) => path.startsWith('/api/modules'))).toEqual([])
  })

  test('on a phone, in the dark', async () => {
    await using dark = await openVisitor(pages.browser, pages.app.url, { dark: true, phone: true })
    dark.expectMessage(/\/api\/auth\/session\b|\/api\/modules\/sdk-ai/)
    await dark.signIn('admin')
    for (const path of ['/modules', '/modules/system', '/modules/system?tab=tools', '/modules/system?tab=history']) {
      await dark.page.goto(path)
      await dark.page.getByText('System').first().waitFor()
      await dark.expectAccessible()
      expect(await dark.page.evaluate(() => document.querySelector('main')!.scrollWidth)).toBeLessThanOrEqual(360)
    }
  })
})
