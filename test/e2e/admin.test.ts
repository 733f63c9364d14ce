import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { say } from '../stage/chat-stage.ts'
import { PASSWORD } from '../stage/people.ts'
import { until } from '../stage/wait.ts'
import { pictures } from './pictures.ts'
import { openVisitor, PHONE, tabTo, type Visitor } from './visitor.ts'

describe('the administration, seen by an administrator', () => {
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  beforeAll(async () => {
    app = await startTestApp()
    await app.as('admin')
    const ann = await app.as('ann')
    await say(ann, '/system.run_command {"command":"true"}')
    await say(ann, '/system.host')
    await say(ann, '/system.host')
    browser = await openBrowser()
    visitor = await openVisitor(browser, app.url)
    // Before the sign-in there is no session; refusals are provoked.
    visitor.expectMessage(/\/api\/auth\/(session|login|invitation)\b|\/api\/admin\/(users|roles|policy)/)
    page = visitor.page
    await visitor.signIn('admin')
  })
  afterAll(async () => {
    await visitor[Symbol.asyncDispose]()
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true })
  const dialog = (name: string | RegExp): Locator => page.getByRole('dialog', { name })
  const person = (name: string): Locator =>
    page.getByRole('list', { name: 'Users' }).getByRole('listitem').filter({ hasText: name })
  async function menu(name: string, item: string): Promise<void> {
    await button(`More for ${name}`).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }

  test('the navigation leads to people, who are found by words, role and state', async () => {
    await page.getByRole('link', { name: 'Administration' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await person('ann').getByText('Active').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'users')
    await page.getByRole('searchbox', { name: 'Search users' }).fill('ANN')
    await person('admin').waitFor({ state: 'detached' })
    await page.waitForURL(/q=ANN/)
    await page.getByRole('combobox', { name: 'State' }).selectOption('disabled')
    await page.getByText('No matching users').waitFor()
    await button('Show all').click()
    await person('admin').first().waitFor()
    expect(await person('ann').first().isVisible()).toBe(true)
  })

  test('somebody is added by a link, chooses a password with it, and the link is used up', async () => {
    await button('Add user').click()
    const form = dialog('Add user')
    await form.getByRole('textbox', { name: 'Username' }).and(page.locator(':focus')).waitFor()
    await form.getByRole('textbox', { name: 'Username' }).fill('ann')
    await form.getByRole('button', { name: 'Add and create link' }).click()
    await form.getByText(/A user “ann” already/).waitFor()
    await form.getByRole('textbox', { name: 'Username' }).fill('eva')
    await form.getByRole('textbox', { name: 'Display name' }).fill('Eva Lund')
    await visitor.expectAccessible()
    await form.getByRole('button', { name: 'Add and create link' }).click()
    const shown = dialog('Link for Eva Lund')
    const link = (await shown.locator('code').textContent()) ?? ''
    expect(link).toMatch(/\/setup\?invite=[\w-]{43}$/)
    await shown.getByRole('button', { name: 'Copy link' }).click()
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === link)
    await visitor.expectAccessible()
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    await person('Eva Lund').getByText('Invited').waitFor()

    await using eva = await openVisitor(browser, app.url, { phone: true })
    eva.expectMessage(/\/api\/auth\/(session|invitation)\b/)
    await eva.page.goto(link)
    await eva.page.getByText(/^Hello Eva Lund\./).waitFor()
    await eva.page.getByLabel('Password', { exact: true }).fill('password1234')
    await eva.page.getByRole('button', { name: 'Set password and sign in' }).click()
    await eva.page.getByText(/among the first an attacker would try/).waitFor()
    await eva.expectAccessible()
    await eva.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await eva.page.getByRole('button', { name: 'Set password and sign in' }).click()
    await eva.page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
    await eva.page.goto(link)
    await eva.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await eva.expectAccessible()
    // The administration is not for her, and the page says so.
    eva.expectMessage(/\/admin\/users/)
    await eva.page.goto('/admin/users')
    await eva.page.getByText('“Users” is for administrators').waitFor()
  })

  test('sign-ins are ended, an account is disabled and enabled, and deleted by typing its name', async () => {
    await page.reload()
    await menu('Eva Lund', 'Sessions')
    const sessions = dialog('Sessions of Eva Lund')
    await sessions.getByRole('button', { name: 'End', exact: true }).first().click()
    await sessions.getByText('Not signed in anywhere.').waitFor()
    await visitor.expectAccessible()
    await sessions.getByRole('button', { name: 'Close', exact: true }).first().click()

    await menu('Eva Lund', 'Disable')
    await dialog('Disable Eva Lund?').getByRole('button', { name: 'Disable' }).click()
    await person('Eva Lund').getByText('Disabled').waitFor()
    await menu('Eva Lund', 'Enable')
    await person('Eva Lund').getByText('Active').waitFor()

    await menu('Eva Lund', 'Edit name and role')
    await dialog('Edit Eva Lund').getByRole('combobox', { name: 'Role' }).selectOption('admin')
    await dialog('Edit Eva Lund').getByText('Changing the role ends all of this user’s sessions.').waitFor()
    await dialog('Edit Eva Lund').getByRole('button', { name: 'Save' }).click()
    await person('Eva Lund').locator('p').getByText('admin', { exact: true }).waitFor()

    await menu('Eva Lund', 'Delete')
    const gone = dialog('Delete Eva Lund?')
    expect(await gone.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await gone.getByRole('textbox', { name: 'Type eva to confirm' }).fill('eva')
    await visitor.expectAccessible()
    await gone.getByRole('button', { name: 'Delete' }).click()
    await person('Eva Lund').waitFor({ state: 'detached' })

    await menu('admin', 'Disable')
    await dialog('Disable admin?').getByRole('button', { name: 'Disable' }).click()
    await dialog('Disable admin?')
      .getByText(/is the only administrator who can sign in/)
      .waitFor()
    await dialog('Disable admin?').getByRole('button', { name: 'Cancel' }).click()
  })

  const rule = (tool: string, role: string): Locator =>
    page.getByRole('gridcell', { name: new RegExp(`^Rule for ${tool}, role ${role}:`) })
  const choose = async (tool: string, role: string, choice: string): Promise<void> => {
    await rule(tool, role).click()
    await page.getByRole('menuitemcheckbox', { name: new RegExp(`^${choice}`) }).click()
  }

  test('rules are changed in the grid, tried on past calls, undone and saved', async () => {
    await page.getByRole('link', { name: 'Roles', exact: true }).click()
    await button(/^System/).click()
    await choose('All tools of System', 'user', 'Deny')
    await page.getByText('1 unsaved change').waitFor()
    await page
      .getByRole('row', { name: /system\.host/ })
      .getByRole('gridcell', { name: /role user: .*Denied, by the rule for all tools/ })
      .waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'roles')
    await button('Review and save').click()
    const review = dialog('What the new rules change')
    await review.getByText('1 user with the role user can then no longer use:').waitFor()
    await button('Test on past calls').click()
    await review.getByText('3 of 3 calls would have been decided differently.').waitFor()
    await review.getByText('2 calls').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'roles-simulation')
    await button('Cancel').click()
    await button('Undo').click()
    await button('Review and save').waitFor({ state: 'detached' })
    expect(await rule('All tools of System', 'user').textContent()).toContain('No rule')
  })

  test('roles are copied, renamed and deleted; one that people have leads to them', async () => {
    await button('More for the role user').click()
    await page.getByRole('menuitem', { name: 'Copy' }).click()
    const copy = dialog('Copy the role user')
    await copy.getByRole('textbox', { name: 'Name' }).fill('ADMIN')
    await copy.getByRole('button', { name: 'Save' }).click()
    await copy.getByText(/A role “ADMIN” already/).waitFor()
    await copy.getByRole('textbox', { name: 'Name' }).fill('Auditors')
    await copy.getByRole('button', { name: 'Save' }).click()
    await rule('Host overview', 'Auditors')
      .and(page.getByRole('gridcell', { name: /Runs immediately, by the rule for this tool/ }))
      .waitFor()
    await button('More for the role Auditors').click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await dialog('Rename the role Auditors').getByRole('textbox', { name: 'Name' }).fill('Readers')
    await dialog('Rename the role Auditors').getByRole('button', { name: 'Save' }).click()
    await button('More for the role Readers').click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog('Delete the role Readers?').getByRole('button', { name: 'Delete' }).click()
    await button('More for the role Readers').waitFor({ state: 'detached' })
    await button('More for the role user').click()
    await page.getByRole('menuitem', { name: 'Show users' }).click()
    await person('ann').waitFor()
    expect(await person('admin').count()).toBe(0)
  })

  test('why somebody may is explained step by step', async () => {
    await menu('ann', 'Explain access')
    const section = dialog('Explain access')
    expect(await section.getByLabel('Username').inputValue()).toBe('ann')
    await section.getByLabel('Tool, permission or procedure').and(page.locator(':focus')).waitFor()
    await section.getByRole('button', { name: 'Explain' }).click()
    await section.getByText('Enter a tool, a permission or a procedure.').waitFor()
    await section.getByLabel('Tool, permission or procedure').fill('system.run_command')
    await section.getByRole('button', { name: 'Explain' }).click()
    await section
      .getByText(/Role “user” has the rule “tool:system.run_command: ask”/)
      .first()
      .waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'explain')
    await section.getByLabel('Tool, permission or procedure').fill('no such thing')
    await section.getByRole('button', { name: 'Explain' }).click()
    await section.getByText(/must be <module>\.<tool>/).waitFor()
    await section.getByRole('button', { name: 'Close' }).click()
    // From a cell everything is known, and is asked at once.
    await button(/^Permissions/).click()
    await rule('Store files', 'user').click()
    await page.getByRole('menuitem', { name: 'Explain access' }).click()
    await section
      .getByText(/files\.create/)
      .first()
      .waitFor()
    await section.getByRole('list', { name: 'Steps' }).waitFor()
    await section.getByRole('button', { name: 'Close' }).click()
  })

  const entry = (text: string): Locator =>
    page.getByRole('list', { name: 'Entries' }).getByRole('listitem').filter({ hasText: text }).first()

  test('the audit log is searched, read, checked and exported', async () => {
    await page.getByRole('link', { name: 'Audit log' }).click()
    await entry('Deleted a user').waitFor()
    await visitor.expectAccessible()
    await page.getByRole('searchbox', { name: 'Search' }).fill('role.updated')
    await entry('Deleted a user').waitFor({ state: 'detached' })
    await entry('Changed a role').click()
    await entry('Changed a role').getByText('Readers', { exact: true }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'audit')
    await button('Verify log').click()
    await page.getByText(/^No changes found: /).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export' }).click()
    expect((await download).suggestedFilename()).toBe('audit.ndjson')
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it')
    await page.getByText('No matching entries').waitFor()
    await button('Show all').click()
    await entry('Deleted a user').waitFor()
    await page.getByRole('link', { name: 'Users' }).click()
    await menu('ann', 'Show in the audit log')
    await until(async () => (await page.getByRole('combobox', { name: 'Person' }).inputValue()).startsWith('usr_'))
    await entry('Signed in').waitFor()

    await app.app.db.write.updateTable('audit').set({ target: 'x' }).where('action', '=', 'role.created').execute()
    await button('Verify log').click()
    await page.getByText('The log has been altered').waitFor()
    await visitor.expectAccessible()
  })

  test('everything fits a phone, and is reached by keyboard', async () => {
    await page.setViewportSize(PHONE)
    for (const path of ['users', 'roles', 'audit']) {
      await page.goto(`/admin/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await until(async () => (await page.getByText('ann').count()) + (await page.getByText('Permissions').count()) > 0)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect([path, wide <= 0]).toEqual([path, true])
      await visitor.expectAccessible()
    }
    await page.goto('/admin/roles')
    await button(/^Permissions/).click()
    await rule('Read own files', 'user').waitFor()
    expect(await rule('Read own files', 'admin').isVisible()).toBe(false)
    await page.getByRole('combobox', { name: 'Role' }).first().selectOption({ label: 'admin' })
    await rule('Read own files', 'admin').waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/admin/users')
    await button('More for ann').waitFor()
    await tabTo(page, button('More for ann'))
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem').first().waitFor()
    await page.keyboard.press('Escape')
  })
})
