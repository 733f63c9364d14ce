import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { command, openStage, type Stage } from '../stage/chat-stage.ts'
import { PASSWORD } from '../stage/people.ts'
import { databases } from '../stage/servers/postgres.ts'
import { until } from '../stage/wait.ts'
import { pictures } from './pictures.ts'
import { expectFits, lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

describe('a second person decides', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let browser: Browser
  let mia: Visitor
  let lea: Visitor

  beforeAll(async () => {
    stage = opened.use(await openStage(databases[0]!))
    const admin = await stage.as('admin')
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'Shift lead', rules: [] } })
    await admin.call(contract.accounts.createUser, {
      body: { username: 'lea', display_name: 'Lea Brandt', password: PASSWORD, role_id: role.role_id },
    })
    await stage.member('mia', [
      { subject: 'tool:system.run_command', effect: 'ask', approvers: [{ role_id: role.role_id, count: 1 }] },
    ])
    browser = await openBrowser()
    opened.defer(() => browser.close())
    mia = opened.use(await openVisitor(browser, stage.url))
    lea = opened.use(await openVisitor(browser, stage.url, { phone: true, dark: true }))
    for (const visitor of [mia, lea]) visitor.expectMessage(/\/api\/auth\/session\b/)
    await Promise.all([mia.signIn('mia'), lea.signIn('lea')])
  })
  afterAll(() => opened.disposeAsync())

  const card = (page: Page): Locator => page.getByRole('article', { name: 'Run a command' })

  test('on a phone: who asks waits, who decides sees the call and agrees, and the answer goes on', async () => {
    const file = join(stage.dataFolder, 'lantern')
    stage.play('lantern', [[{ calls: [command(`touch ${file}`)] }], [{ text: 'It is lit.' }]])
    await lea.page.getByRole('heading', { name: 'Needs you' }).waitFor()
    await mia.page.goto('/chat?new=true')
    await messageBox(mia.page).waitFor()
    await say(mia.page, 'lantern')
    const own = card(mia.page)
    await own.getByText('0 of 1 with the role Shift lead').waitFor()
    await own.getByRole('button', { name: 'Withdraw call' }).waitFor()
    expect(await own.getByRole('button', { name: /Approve/ }).count()).toBe(0)
    await expectFits(mia)
    await pictures(mia.page, 'second-person-asks')

    // Without a reload: the event wakes her page.
    await lea.page.getByRole('link', { name: /Run a command/ }).tap()
    const theirs = card(lea.page)
    await theirs.getByText('mia (role of mia) asks for this call.').waitFor()
    await theirs.getByText(`touch ${file}`, { exact: true }).first().waitFor()
    expect(await lea.page.getByRole('link', { name: 'Show conversation' }).count()).toBe(0)
    await expectFits(lea)
    await pictures(lea.page, 'second-person-decides')
    expect(existsSync(file)).toBe(false)
    await theirs.getByRole('button', { name: 'Approve' }).tap()
    await theirs.getByText('Approved by Lea Brandt').first().waitFor()
    await until(() => existsSync(file), { what: 'the call runs' })
    await (await lastAnswer(mia.page)).getByText('It is lit.').waitFor()
    await mia.page.goto('/approvals')
    await mia.page.getByText('Approved by Lea Brandt').first().waitFor()
  })

  test('a denial reaches who asks with its reason, and a withdrawn call leaves the other page', async () => {
    stage.play('harbour', [[{ calls: [command('true')] }], [{ text: 'Then not.' }]])
    stage.play('beacon', [[{ calls: [command('true')] }], [{ text: 'Never mind.' }]])
    await mia.page.goto('/chat?new=true')
    await say(mia.page, 'harbour')
    await card(mia.page).waitFor()
    await lea.page.goto('/approvals?view=others')
    const theirs = card(lea.page).first()
    await theirs.getByRole('button', { name: 'Deny…' }).tap()
    await theirs.getByRole('textbox', { name: 'Reason (optional)' }).fill('Not during the night.')
    await theirs.getByRole('button', { name: 'Deny', exact: true }).tap()
    await mia.page.getByText('Denied by Lea Brandt: Not during the night.').waitFor()

    await mia.page.goto('/chat?new=true')
    await say(mia.page, 'beacon')
    const deny = lea.page.getByRole('button', { name: 'Deny…' })
    await deny.waitFor()
    await card(mia.page).getByRole('button', { name: 'Withdraw call' }).click()
    await deny.waitFor({ state: 'detached' })
    await (await lastAnswer(mia.page)).getByText('Never mind.').waitFor()
    expect(await deny.count()).toBe(0)
  })
})
