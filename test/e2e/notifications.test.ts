import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import type { Member } from '../stage/chat-stage.ts'
import {
  MAIL_PASSWORD,
  openNotificationsStage,
  type NotificationsStage,
} from '../stage/notifications/notifications-stage.ts'
import { databases } from '../stage/servers/postgres.ts'
import { until } from '../stage/wait.ts'
import { clickTold, hide, keepTold, toldBy } from './browser-told.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, PHONE, type Visitor } from './visitor.ts'

describe('who looks at no page is told, and decides', () => {
  const opened = new AsyncDisposableStack()
  let stage: NotificationsStage
  let browser: Browser
  let admin: Visitor
  let mia: Visitor
  let member: Member
  /** The call that a mail was about before. */
  let before: string

  beforeAll(async () => {
    stage = opened.use(await openNotificationsStage(databases[0]!))
    browser = await openBrowser()
    opened.defer(() => browser.close())
    admin = opened.use(await openVisitor(browser, stage.url))
    mia = opened.use(await openVisitor(browser, stage.url))
    for (const visitor of [admin, mia]) visitor.expectMessage(/\/api\/auth\/session\b/)
    member = await stage.asking('mia')
    await Promise.all([admin.signIn('admin'), mia.signIn('mia')])
  })
  afterAll(() => opened.disposeAsync())

  test('an administrator sets up the mail server, and sees what is wrong with it', async () => {
    const { page } = admin
    await page.goto('/admin/notifications')
    await page.getByRole('heading', { name: 'No channels yet' }).waitFor()
    await expectFits(admin)
    await page.getByRole('button', { name: 'Add channel' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add channel' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter a complete address.').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Mail')
    await dialog.getByRole('textbox', { name: 'Server' }).fill(stage.mail.url)
    await dialog.getByRole('textbox', { name: 'Sender' }).fill('reeve@example.com')
    await dialog.getByRole('textbox', { name: 'Account' }).fill('reeve')
    await dialog.getByLabel('Password', { exact: true }).fill('wrong-password')
    await pictures(page, 'notifications-channel')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Nothing sent yet').waitFor()

    await page.getByRole('button', { name: 'Test Mail' }).click()
    const trial = page.getByRole('dialog', { name: 'Test Mail' })
    await trial.getByRole('textbox', { name: 'Send to' }).fill('ops@example.com')
    await trial.getByRole('button', { name: 'Send' }).click()
    await trial.getByText('The message was not sent').waitFor()
    await trial.getByText(/Authentication failed/).waitFor()
    await trial.getByRole('button', { name: 'Close' }).first().click()
    await page.getByText('Did not arrive').first().waitFor()
    await page.goto('/')
    await page.getByText('Messages to Mail do not arrive').waitFor()
    await page.getByRole('link', { name: 'See why' }).click()

    await page.getByRole('button', { name: 'More about Mail' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit Mail' })
    await edit.getByRole('button', { name: 'Replace' }).click()
    await edit.getByLabel('Password', { exact: true }).fill(MAIL_PASSWORD)
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Test Mail' }).click()
    await trial.getByRole('textbox', { name: 'Send to' }).fill('ops@example.com')
    await trial.getByRole('button', { name: 'Send' }).click()
    await trial.getByText('The message has been sent').waitFor()
    await trial.getByRole('button', { name: 'Close' }).first().click()
    expect(stage.mail.to('ops@example.com')).toHaveLength(1)

    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByRole('combobox', { name: 'Tell' }).selectOption({ index: 0 })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Rules saved').waitFor()
    const { items } = await stage.admin.call(contract.notifications.noticeRules)
    expect(items).toEqual([expect.objectContaining({ role_id: null, after_s: 900, channel_id: null })])
    await expectFits(admin)
  })

  test('a person adds an address, and confirms it by the code', async () => {
    const { page } = mia
    await page.goto('/account?tab=notifications')
    await page.getByRole('textbox', { name: 'Mail address' }).fill('mia@example.com')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Not confirmed').waitFor()
    const code = page.getByRole('textbox', { name: 'Code' })
    await code.fill('12')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('This is not the code that was sent.').waitFor()
    mia.expectMessage(/\/api\/channels\/.*verify/)
    await code.fill(/code (\d{3} \d{3})/.exec(stage.mail.to('mia@example.com')[0]!.text)![1]!)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Confirmed', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'After' }).selectOption({ label: 'At once' })
    await page.getByRole('checkbox', { name: 'Quiet hours' }).check()
    await page.getByLabel('From').waitFor()
    await expectFits(mia)
    await pictures(page, 'notifications-own')
    await page.getByRole('checkbox', { name: 'Quiet hours' }).uncheck()
    await page.getByRole('checkbox', { name: 'A report is ready' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Notification settings saved').waitFor()
    const { items, settings } = await member.client.call(contract.notifications.ownChannels)
    expect(items).toEqual([expect.objectContaining({ address: 'mia@example.com', verified_at: expect.any(String) })])
    expect(settings).toMatchObject({ wait_s: 0, quiet: null, reports: false, watches: true })
  })

  test('a hidden page has the browser tell of a card, without what it is about', async () => {
    const { page, context } = mia
    await context.grantPermissions(['notifications'])
    await keepTold(page)
    await page.goto('/account?tab=notifications')
    await page.getByRole('checkbox', { name: 'Tell me in this browser' }).check()
    await hide(page, true)
    before = await stage.waiting(member, 'mandolin')
    await expect.poll(() => toldBy(page)).toEqual([['Waits for your decision', 'Run a command']])
    await hide(page, false)
    await clickTold(page)
    await page.waitForURL((url) => url.pathname === '/approvals' && url.hash === `#${before}`)
    await page.getByRole('article', { name: 'Run a command' }).getByRole('button', { name: 'Deny…' }).waitFor()
  })

  test('the link of the mail leads, after signing in on a phone, to the card, which is approved there', async () => {
    // The mail before has been sent: only from then on run the 60 s until the next one, which are let pass here.
    const isSent = async () => (await stage.deliveries(before)).some(({ status }) => status === 'sent')
    await until(isSent, { what: 'the mail before' })
    await stage.later(60_000)
    const id = await stage.waiting(member, 'marimba')
    await until(() => stage.about('mia@example.com', id).length > 0, { what: 'the mail comes' })
    const { text } = stage.about('mia@example.com', id)[0]!
    expect(text).not.toContain('secret-argument')
    const link = new RegExp(`https?://\\S+/approvals/${id}`).exec(text)![0]
    await using phone = await openVisitor(browser, stage.url, { phone: true })
    phone.expectMessage(/\/api\/auth\/session\b/)
    const { page } = phone
    await page.goto(new URL(link).pathname)
    await page.waitForURL((url) => url.pathname === '/login')
    await phone.signIn('mia')
    await page.waitForURL((url) => url.hash === `#${id}`)
    const card = page.locator(`#${id}`)
    await card
      .getByText(/secret-argument-marimba/)
      .first()
      .waitFor()
    expect(page.viewportSize()).toEqual(PHONE)
    await pictures(page, 'notifications-card')
    // Opening it has decided nothing.
    const { items } = await member.client.call(contract.chat.listApprovals, { query: { status: 'pending' } })
    expect(items.map(({ approval_id }) => approval_id)).toContain(id)
    await card.getByRole('button', { name: 'Approve', exact: true }).tap()
    await card
      .getByText(/Approved/)
      .first()
      .waitFor()
    await until(
      async () =>
        (await member.client.call(contract.chat.listApprovals, { query: {} })).items.find(
          ({ approval_id }) => approval_id === id,
        )!.status === 'approved',
      { what: 'it is approved' },
    )
  })

  test('a link to what never was, or was somebody else’s, says so', async () => {
    await mia.page.goto('/approvals/apr_none')
    await mia.page.getByText('This does not wait for you any more').waitFor()
    await expectFits(mia)
    await admin.page.goto('/admin/notifications')
    await admin.page.getByText('mia@example.com').first().waitFor()
    await admin.page.getByRole('combobox', { name: 'State' }).selectOption('sent')
    await admin.page.getByRole('list', { name: 'Messages' }).getByText('Sent').first().waitFor()
    await pictures(admin.page, 'notifications-admin')
    const rows = admin.page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
    expect(await rows.filter({ hasNotText: 'Sent' }).count()).toBe(0)
  })
})
