import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser, screenshot } from '../stage/browser.ts'
import { pictures } from './pictures.ts'
import { openVisitor, PHONE, tabTo, type Visitor } from './visitor.ts'

/** More than fit a window: the grid scrolls both ways. */
const ROLES = 28

describe('the rules of roles', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    await app.as('admin')
    await app.as('ann')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b|\/api\/admin\/roles/)
    page = visitor.page
    await visitor.signIn('admin')
  })
  afterAll(() => opened.disposeAsync())

  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true })
  const choose = async (tool: string, role: string, choice: string): Promise<void> => {
    await cell(tool, role).click()
    await page.getByRole('menuitemcheckbox', { name: new RegExp(`^${choice}`) }).click()
  }
  const dialog = (name: string): Locator => page.getByRole('dialog', { name })
  const cell = (tool: string, role: string): Locator =>
    page.getByRole('gridcell', { name: new RegExp(`^Rule for ${tool}, role ${role}:`) })
  const focused = (name: RegExp): Locator => page.getByRole('gridcell', { name }).and(page.locator(':focus'))
  const rulesOf = async (name: string) =>
    (await (await app.as('admin')).call(contract.accounts.listRoles)).items.find((role) => role.name === name)?.rules
  /** Elements inside the page that can be scrolled up and down. */
  const scrollers = (): Promise<number> =>
    page.evaluate(
      () =>
        [...document.querySelectorAll('main, main *')].filter(
          (element) =>
            element.checkVisibility({ contentVisibilityAuto: false }) &&
            element.clientHeight > 0 &&
            /auto|scroll/.test(getComputedStyle(element).overflowY) &&
            element.scrollHeight > element.clientHeight + 1,
        ).length,
    )

  test('are changed with the keyboard alone', async () => {
    await page.goto('/admin/roles')
    const { keyboard } = page
    await tabTo(page, button(/^Permissions/))
    await keyboard.press('Enter')
    // Down to the first permission, right to the first role.
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowRight')
    await focused(/^Rule for Use the AI engine, role admin: Runs immediately, by default/).waitFor()
    await page.getByText('Runs immediately, by default', { exact: true }).waitFor()
    await keyboard.press('ArrowRight')
    await keyboard.press('k')
    await focused(/^Rule for Use the AI engine, role user: Asks first, by its rule \(unsaved\)/).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('d')
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await page.getByRole('menuitemcheckbox', { name: /^No rule/, checked: true }).waitFor()
    await visitor.expectAccessible()
    await screenshot(page, 'roles-menu')
    await keyboard.press('Enter')
    await focused(/^Rule for Store files, role user: Runs immediately, by its rule/).waitFor()
    await page.getByText('3 unsaved changes').waitFor()
    await keyboard.press('Control+z')
    await page.getByText('2 unsaved changes').waitFor()
    await keyboard.press('ArrowUp')
    await keyboard.press('Delete')
    await page.getByText('1 unsaved change').waitFor()
    await keyboard.press('Control+z')
    await page.getByText('2 unsaved changes').waitFor()
    await tabTo(page, button('Review and save'))
    await keyboard.press('Enter')
    const review = page.getByRole('dialog', { name: 'What the new rules change' })
    await review.getByText('1 user with the role user can then no longer use:').waitFor()
    await review.getByText('1 user with the role user is then asked before each use of:').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'roles-review')
    await tabTo(page, button('Save'))
    await keyboard.press('Enter')
    await page.getByText('The rules were saved.').first().waitFor()
    await expect
      .poll(async () => (await rulesOf('user'))?.filter(({ subject }) => !subject.startsWith('tool:')))
      .toEqual([
        { subject: 'codex.use', effect: 'ask' },
        { subject: 'files.read', effect: 'deny' },
      ])
  })

  test('what others save meanwhile is kept and shown, and one change is taken back alone', async () => {
    await page.goto('/admin/roles')
    await button(/^Permissions/).click()
    await choose('Delete own files', 'user', 'Ask')
    await choose('Read own files', 'admin', 'Deny')
    await choose('Use the AI engine', 'admin', 'Deny')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    // Somebody else changes the same role meanwhile: both changes are there in the end.
    const admin = await app.as('admin')
    const role = (await admin.call(contract.accounts.listRoles)).items.find(({ name }) => name === 'user')!
    const meanwhile = [{ subject: 'files.create', effect: 'ask' as const }]
    const params = { role_id: role.role_id }
    await admin.call(contract.accounts.updateRole, { params, body: { rules: meanwhile } })
    await button('Review and save').click()
    const review = dialog('What the new rules change')
    await review.getByText(/users? with the role admin can then no longer use/).waitFor()
    await button('Take back: Use the AI engine, admin').click()
    await button('Save').click()
    await review.getByText(/Someone else has changed the role “user” in the meantime/).waitFor()
    const theirs = review.getByRole('list', { name: 'Changed by someone else in the meantime' })
    await theirs.getByText('Store files · user').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'roles-meanwhile')
    await button('Save').click()
    await page.getByText('The rules were saved.').first().waitFor()
    await cell('Store files', 'user')
      .and(page.getByRole('gridcell', { name: /Asks first, by its rule/ }))
      .waitFor()
    const after = (await admin.call(contract.accounts.listRoles)).items
    expect(after.find(({ name }) => name === 'user')!.rules).toEqual([
      ...meanwhile,
      { subject: 'files.delete', effect: 'ask' },
    ])
    expect(after.find(({ name }) => name === 'admin')!.rules).toEqual([{ subject: 'files.read', effect: 'deny' }])
    await choose('Read own files', 'admin', 'No rule')
    await button('Review and save').click()
    await button('Save').click()
    await button('Review and save').waitFor({ state: 'detached' })
  })

  test('stay in sight in a grid that is the one scroller, however many roles there are', async () => {
    const admin = await app.as('admin')
    for (let number = 1; number <= ROLES; number++)
      await admin.call(contract.accounts.createRole, { body: { name: `Team ${number}`, rules: [] } })
    await page.reload()
    await button('Expand all').click()
    const last = `Team ${ROLES}`
    await cell('Use the AI engine', 'admin').click()
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    // The keys go to the cell once it has the focus again, a moment after the menu is gone.
    await focused(/^Rule for Use the AI engine, role admin:/).waitFor()
    await page.keyboard.press('Control+End')
    const corner = page.locator(':focus')
    await expect.poll(() => corner.textContent()).toMatch(new RegExp(`role ${last}:`))
    const grid = page.getByRole('grid', { name: 'Rules by role' })
    const box = (await grid.boundingBox())!
    const seen = async (what: Locator): Promise<void> => {
      const { x, y, width, height } = (await what.boundingBox())!
      expect(x >= box.x - 1 && x + width <= box.x + box.width + 1).toBe(true)
      expect(y >= box.y - 1 && y + height <= box.y + box.height + 1).toBe(true)
    }
    await seen(corner)
    await seen(page.getByRole('columnheader', { name: new RegExp(`^${last}`) }))
    await seen(page.getByRole('row').filter({ has: corner }).getByRole('rowheader'))
    expect(await scrollers()).toBe(1)
    // Only the lines in view are there.
    expect(await page.getByRole('row').count()).toBeLessThan(45)
    await visitor.expectAccessible()
    await pictures(page, 'roles-many')
    await page.getByRole('searchbox', { name: 'Find a tool' }).fill('disk')
    await cell('Use the AI engine', 'admin').waitFor({ state: 'detached' })
    await page.getByRole('rowheader', { name: /system\.disks/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Find a tool' }).fill('nothing like it')
    await page.getByText('No matching tools or permissions').waitFor()
    for (const { role_id, builtin } of (await admin.call(contract.accounts.listRoles)).items)
      if (!builtin) await admin.call(contract.accounts.deleteRole, { params: { role_id } })
  })

  test('of one module are the same grid on its page, which scrolls once', async () => {
    await page.goto('/modules/system?tab=tools')
    const grid = page.getByRole('grid', { name: 'Who can use them' })
    await cell('All tools of System', 'user').click()
    await page.getByRole('menuitemcheckbox', { name: /^Ask/ }).click()
    await page.getByText('1 unsaved change').waitFor()
    expect(await scrollers()).toBe(1)
    await visitor.expectAccessible()
    await grid.scrollIntoViewIfNeeded()
    await pictures(page, 'module-rules-system')
    await button('Review and save').click()
    await page.getByText('1 user with the role user is then asked before each use of:').waitFor()
    await pictures(page, 'module-rules-review')
    await button('Save').click()
    await page.getByText('The rules were saved.').first().waitFor()
  })

  test('are changed on a phone, in the dark, one role at a time', async () => {
    await using phone = await openVisitor(browser, app.url, { phone: true, dark: true })
    phone.expectMessage(/\/api\/auth\/session\b/)
    await phone.signIn('admin')
    await phone.page.goto('/admin/roles')
    await phone.page.getByRole('button', { name: /^Permissions/ }).tap()
    const rule = phone.page.getByRole('gridcell', { name: /^Rule for Delete own files, role user:/ })
    await rule.tap()
    await phone.page.getByRole('menuitemcheckbox', { name: /^Deny/ }).tap()
    await phone.page.getByText('1 unsaved change').waitFor()
    expect(await phone.page.getByRole('columnheader').count()).toBe(2)
    await phone.expectAccessible()
    expect(
      await phone.page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    ).toBe(true)
    expect(PHONE.width).toBe(phone.page.viewportSize()?.width)
    await phone.page.getByRole('combobox', { name: 'Role' }).selectOption({ label: 'admin' })
    await phone.page.getByRole('gridcell', { name: /^Rule for Delete own files, role admin:/ }).waitFor()
    await phone.page.getByRole('button', { name: 'Discard' }).tap()
  })

  test('with conditions are counted in their cell, and stay when the rule for all calls changes', async () => {
    const admin = await app.as('admin')
    const { items } = await admin.call(contract.accounts.listRoles)
    const { role_id } = items.find(({ name }) => name === 'user')!
    const when = [{ at: '/command', in: ['mkfs', 'shutdown'] }]
    const rule = { subject: 'tool:system.run_command', effect: 'deny' as const, when }
    await admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules: [rule] } })
    await page.goto('/admin/roles')
    await page.getByRole('searchbox', { name: 'Find a tool' }).fill('run_command')
    await page
      .getByRole('gridcell', { name: /^Rule for Run a command, role user: .*1 rule with conditions$/ })
      .waitFor()
    await choose('Run a command', 'user', 'Ask')
    await cell('Run a command', 'everybody').click()
    expect(await page.getByRole('menuitemcheckbox', { name: /^Allow/ }).count()).toBe(0)
    await page.getByRole('menuitemcheckbox', { name: /^Deny/ }).click()
    await page
      .getByRole('gridcell', { name: /^Rule for Run a command, role admin: Denied, by a rule for everybody/ })
      .waitFor()
    await visitor.expectAccessible()
    await button('Review and save').click()
    await button('Save').click()
    await page.getByText('The rules were saved.').first().waitFor()
    expect(await rulesOf('user')).toEqual(expect.arrayContaining([rule, { subject: rule.subject, effect: 'ask' }]))
    expect(await rulesOf('everybody')).toEqual([{ subject: rule.subject, effect: 'deny' }])
  })
})
