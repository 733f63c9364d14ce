import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openAudit } from '../../server/accounts/audit/audit.ts'
import { openBrowser } from '../stage/browser.ts'
import { decide, openStage, say, type Stage } from '../stage/chat-stage.ts'
import { databases } from '../stage/servers/postgres.ts'
import { pictures } from './pictures.ts'
import { openVisitor, PHONE, type Visitor } from './visitor.ts'

describe('the audit log, asked who did what', () => {
  let stage: Stage
  let browser: Browser
  let visitor: Visitor
  let page: Page
  beforeAll(async () => {
    stage = await openStage(databases[0]!, { engine: false })
    const admin = await stage.as('admin')
    const lee = await stage.member('lee', [{ subject: 'audit.read', effect: 'allow' }])
    await admin.call(contract.accounts.updateUser, {
      params: { user_id: lee.user_id },
      body: { display_name: 'Ann Lee' },
    })
    const asked = await say(lee.client, '/system.run_command {"command": "uptime"}')
    await decide(lee.client, asked.approvals[0]!.approval_id, 'approve')
    await say(lee.client, '/system.host')
    await say(lee.client, '/system.host')
    const { file } = await lee.client.call(contract.files.upload, {
      body: new TextEncoder().encode('a,b\n1,2\n'),
      headers: { 'x-file-name': 'plan.csv', 'content-type': 'text/csv' },
    })
    await lee.client.call(contract.files.download, { params: { file_id: file.file_id } })
    await openAudit(stage.app.db, () => Date.now() + 3_600_000).sweep()
    browser = await openBrowser()
    visitor = await openVisitor(browser, stage.url)
    visitor.expectMessage(/\/api\/auth\/session\b|\/api\/admin\//)
    page = visitor.page
    await visitor.signIn('admin')
  })
  afterAll(async () => {
    await visitor[Symbol.asyncDispose]()
    await browser.close()
    await stage[Symbol.asyncDispose]()
  })
  const entry = (text: RegExp): Locator =>
    page.getByRole('list', { name: 'Entries' }).getByRole('listitem').filter({ hasText: text }).first()

  test('an entry is a sentence; its ids are under Technical', async () => {
    await page.goto('/admin/audit')
    await entry(/Ann Lee ran uptime on this machine · approved by Ann Lee · exit 0 · \d+ ms/).waitFor()
    await entry(/Ann Lee ran system\.host on this machine 2 times · /).waitFor()
    await entry(/Ann Lee downloaded plan\.csv/).waitFor()
    await page.getByText('Entries are never removed', { exact: false }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'audit-sentences')
    const call = entry(/ran uptime/)
    await call.locator('summary').first().click()
    await call.getByText('"command": "uptime"').waitFor()
    expect(await call.getByText('arguments_hash').isVisible()).toBe(false)
    await call.getByText('Technical').click()
    await call.getByText('arguments_hash').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'audit-technical')
  })

  test('is searched by tool, machine and person; a view of it is kept, used and deleted', async () => {
    await page.getByRole('combobox', { name: 'Tool' }).fill('system.run_command')
    await entry(/downloaded/).waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Machine' }).selectOption('This machine')
    await page.getByRole('combobox', { name: 'Person' }).selectOption('Ann Lee')
    await page.getByRole('button', { name: 'Save this view' }).click()
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Commands')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.goto('/admin/audit')
    await entry(/downloaded/).waitFor()
    await page.getByRole('button', { name: 'Commands', exact: true }).click()
    await entry(/downloaded/).waitFor({ state: 'detached' })
    expect(await page.getByRole('combobox', { name: 'Tool' }).inputValue()).toBe('system.run_command')
    await pictures(page, 'audit-view')
    await page.getByRole('button', { name: 'Delete the view Commands' }).click()
    await page.getByRole('button', { name: 'Commands', exact: true }).waitFor({ state: 'detached' })
  })

  test('each role says what is kept of calls that only read', async () => {
    await page.goto('/admin/audit')
    await page.getByText('What is recorded of calls that only read').click()
    await page.getByRole('combobox', { name: 'role of lee' }).selectOption('Each with its arguments')
    await page.getByText('Saved.').waitFor()
    await entry(/Changed a role/).waitFor()
    expect(await page.getByRole('combobox', { name: 'role of lee' }).inputValue()).toBe('full')
    await visitor.expectAccessible()
    await pictures(page, 'audit-reads')
  })

  test('a user who may read it finds it, and nothing else of the administration', async () => {
    await using other = await openVisitor(browser, stage.url)
    other.expectMessage(/\/api\/auth\/session\b/)
    await other.signIn('lee')
    await other.page.getByRole('link', { name: 'Administration' }).first().click()
    await other.page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    expect(await other.page.getByRole('navigation', { name: 'Administration' }).getByRole('link').count()).toBe(1)
    const call = other.page
      .getByRole('listitem')
      .filter({ hasText: /ran uptime/ })
      .first()
    await call.locator('summary').first().click()
    await call.getByRole('link', { name: 'Conversation' }).click()
    await other.page.waitForURL(/\/chat\?c=/)
    await other.page.setViewportSize(PHONE)
    await other.page.goto('/admin/audit')
    await other.page.getByText(/ran/).first().waitFor()
    const wide = await other.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(wide).toBeLessThanOrEqual(0)
    await other.expectAccessible()
  })
})
