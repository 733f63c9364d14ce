import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { command, openStage, type Stage } from '../stage/chat-stage.ts'
import { PASSWORD } from '../stage/people.ts'
import { databases } from '../stage/servers/postgres.ts'
import { pictures } from './pictures.ts'
import { expectFits, lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const RUN = 'tool:system.run_command'

describe('a role for a while', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let browser: Browser
  let root: Visitor
  let mia: Visitor
  let lea: Visitor

  beforeAll(async () => {
    stage = opened.use(await openStage(databases[0]!))
    const admin = await stage.as('admin')
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'Shift lead', rules: [] } })
    const rules = [{ subject: RUN, effect: 'ask' as const, approvers: [] }]
    await admin.call(contract.accounts.createRole, { body: { name: 'Operator', rules } })
    await admin.call(contract.accounts.createUser, {
      body: { username: 'lea', display_name: 'Lea Brandt', password: PASSWORD, role_id: role.role_id },
    })
    await stage.member('mia', [{ subject: RUN, effect: 'deny' }])
    browser = await openBrowser()
    opened.defer(() => browser.close())
    root = opened.use(await openVisitor(browser, stage.url))
    mia = opened.use(await openVisitor(browser, stage.url))
    lea = opened.use(await openVisitor(browser, stage.url, { phone: true, dark: true }))
    for (const visitor of [root, mia, lea]) visitor.expectMessage(/\/api\/auth\/session\b/)
    await Promise.all([root.signIn('admin'), mia.signIn('mia'), lea.signIn('lea')])
  })
  afterAll(() => opened.disposeAsync())

  const banner = (page: Page) => page.getByRole('region', { name: 'You have the role Operator.' })

  test('an administrator says that a role may be taken, and who decides', async () => {
    const { page } = root
    await mia.page.goto('/account')
    await mia.page.getByRole('tab', { name: 'Preferences' }).waitFor()
    expect(await mia.page.getByRole('tab', { name: 'Role for a while' }).count()).toBe(0)
    await page.goto('/admin/roles')
    await page.getByRole('button', { name: /Operator/ }).click()
    await page.getByRole('menuitem', { name: 'May be taken for a while…' }).click()
    const dialog = page.getByRole('dialog', { name: 'The role “Operator” for a while' })
    await dialog.getByRole('checkbox', { name: 'May be taken for a while' }).check()
    await dialog.getByRole('textbox', { name: 'Minutes' }).fill('90')
    await dialog.getByRole('combobox', { name: 'Shift lead' }).selectOption('1')
    await expectFits(root)
    await pictures(page, 'elevation-role')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved for the role “Operator”').waitFor()
  })

  test('asked for, agreed to, used; and it ends while a call waits', async () => {
    const file = join(stage.dataFolder, 'crane')
    stage.play('crane', [[{ calls: [command(`touch ${file}`)] }], [{ text: 'Then not.' }]])
    const { page } = mia
    await page.goto('/account')
    await page.getByRole('tab', { name: 'Role for a while' }).click()
    await page.getByText('1 person with the role Shift lead must agree.').waitFor()
    await page.getByRole('textbox', { name: 'Minutes' }).fill('45')
    await page.getByRole('textbox', { name: 'What you need it for' }).fill('The backup of tonight hangs.')
    await expectFits(mia)
    await pictures(page, 'elevation-request')
    await page.getByRole('button', { name: 'Request role' }).click()
    await page.getByText('0 of 1 with the role Shift lead').waitFor()
    await page.getByRole('button', { name: 'Withdraw request' }).waitFor()
    await expectFits(mia)

    // Without a reload: the event wakes her page.
    await lea.page.getByRole('link', { name: '1 request for a role' }).tap()
    const theirs = lea.page.getByRole('article', { name: 'Operator for 45 min' })
    await theirs.getByText('mia (role of mia) asks for this role.').waitFor()
    await theirs.getByText('The backup of tonight hangs.').waitFor()
    await expectFits(lea)
    await pictures(lea.page, 'elevation-decides')
    await theirs.getByRole('button', { name: 'Approve' }).tap()
    await theirs.getByText('Active').waitFor()

    await banner(page).waitFor()
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, 'crane')
    const card = page.getByRole('article', { name: 'Run a command' })
    await card.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await banner(page).getByText(/left$/).waitFor()
    await expectFits(mia)
    await pictures(page, 'elevation-banner')

    await root.page.goto('/approvals?view=others')
    const running = root.page.getByRole('article', { name: 'Operator for 45 min' })
    await running.getByRole('button', { name: 'End now' }).click()
    await banner(page).waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    await (await lastAnswer(page)).getByText('Then not.').waitFor()
    expect(existsSync(file)).toBe(false)
    await page.goto('/account?tab=role')
    await page.getByText('Ended').waitFor()
    await expectFits(mia)
    await pictures(page, 'elevation-ended')
  })

  test('given back by hand', async () => {
    const { page } = mia
    await page.getByRole('textbox', { name: 'What you need it for' }).fill('Once more.')
    await page.getByRole('button', { name: 'Request role' }).click()
    await lea.page.goto('/approvals?view=others')
    await lea.page.getByRole('button', { name: 'Approve' }).tap()
    await banner(page).getByRole('button', { name: 'End now' }).click()
    await banner(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Request role' }).waitFor()
    await page.getByText('role of mia', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'End now' }).count()).toBe(0)
  })
})
