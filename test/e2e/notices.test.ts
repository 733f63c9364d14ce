import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { openStage, type Member, type Stage } from '../stage/chat-stage.ts'
import { aNotice, noticesOf, tell } from '../stage/notifications/telling.ts'
import { databases } from '../stage/servers/postgres.ts'
import { clickTold, hide, keepTold, toldBy } from './browser-told.ts'
import { pictures } from './pictures.ts'
import { chooseAction, expectFits, lastAnswer, messageBox, openVisitor, type Visitor } from './visitor.ts'

describe('what ran by itself is told, on a phone', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let browser: Browser
  let mia: Visitor
  let member: Member

  beforeAll(async () => {
    stage = opened.use(await openStage(databases[0]!))
    browser = await openBrowser()
    opened.defer(() => browser.close())
    member = await stage.member('mia')
    mia = opened.use(await openVisitor(browser, stage.url, { phone: true }))
    mia.expectMessage(/\/api\/auth\/session\b/)
    await mia.signIn('mia')
  })
  afterAll(() => opened.disposeAsync())

  const toMia = (more: Parameters<typeof aNotice>[1]) => tell(stage, aNotice({ user_ids: [member.user_id] }, more))

  test('it stands on the dashboard without a reload, and opening it marks it as read', async () => {
    const { page } = mia
    await page.goto('/')
    await page.getByText('Nothing is waiting for you.').waitFor()
    await toMia({ path: '/files?q=disk', detail: { reason: '93 % used' } })
    const row = page.getByRole('link', { name: /Disk of db-1/ })
    await row.getByText('Within its bound again').waitFor()
    await row.getByText('93 % used').waitFor()
    await expectFits(mia)
    await pictures(page, 'notices-dashboard')
    await row.tap()
    await page.waitForURL((url) => url.pathname === '/files' && url.searchParams.get('q') === 'disk')
    await expect.poll(async () => (await noticesOf(member.client)).unread).toBe(0)
    await page.goto('/')
    await page.getByText('Nothing is waiting for you.').waitFor()
  })

  test('the list has all of them, and marks them as read, one or all', async () => {
    const { page } = mia
    await page.goto('/approvals?view=notices')
    await page.getByRole('list', { name: 'Notices' }).getByText('Disk of db-1').waitFor()
    await toMia({ event: 'routine_paused', name: 'Nightly check', path: '/files' })
    await toMia({ event: 'review_wanted', name: 'Free the disk', path: '/files' })
    await page.getByText('Waits for a review').waitFor()
    await expectFits(mia)
    await mia.expectAccessible()
    await pictures(page, 'notices-list')
    await page.getByRole('button', { name: 'Mark “Free the disk” as read' }).tap()
    await expect.poll(async () => (await noticesOf(member.client)).unread).toBe(1)
    await page.getByRole('button', { name: 'Mark all as read' }).tap()
    await expect.poll(async () => (await noticesOf(member.client)).unread).toBe(0)
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('list', { name: 'Notices' }).getByRole('listitem').count()).toBe(3)
  })

  test('what a watch saw is a sentence, under the name that its reader knows, and says whose it is', async () => {
    const { page } = mia
    const detail = { count: 3, preset: 'services', machine: 'web-1', figure: 'failed_services', bound: 1, value: 2 }
    const other = await stage.member('oscar')
    const watched = { event: 'watch_crossed', name: 'Service failed', detail, path: '/watches?watch=1' } as const
    await toMia({ ...watched, by: other.user_id })
    await toMia({ event: 'routine_paused', name: 'Nightly', detail: { by: 'failures' }, path: '/files' })
    await page.goto('/')
    const row = page.getByRole('link', { name: /Service failed/ })
    await row.waitFor()
    expect(await row.innerText()).toContain('Of oscar · web-1 · Failed services: 2; the bound is 1 · and 2 more')
    await page
      .getByRole('link', { name: /Nightly/ })
      .getByText(/^Paused after three failures in a row\./)
      .waitFor()
    await expectFits(mia)
    await pictures(page, 'notices-watches')
    await member.client.call(contract.notices.readNotices, {
      body: { until: (await noticesOf(member.client)).items[0]!.notice_id },
    })
  })

  test('a hidden page has the browser tell, and leads to what it is about', async () => {
    const { page, context } = mia
    await context.grantPermissions(['notifications'])
    await keepTold(page)
    await page.goto('/account?tab=notifications')
    await page.getByRole('checkbox', { name: 'Tell me in this browser' }).check()
    await hide(page, true)
    // What is there before the page listens is not news: it may take more than one.
    await expect
      .poll(
        async () => {
          if ((await toldBy(page)).length === 0)
            await toMia({ event: 'report_ready', name: 'Nightly check', path: '/files?q=night' })
          return (await toldBy(page))[0]
        },
        { interval: 500 },
      )
      .toEqual(['Report ready', 'Nightly check'])
    await clickTold(page)
    await page.waitForURL((url) => url.pathname === '/files' && url.searchParams.get('q') === 'night')
  })

  test('an answer is saved as a report, and its file is one tap away', async () => {
    const { page } = mia
    stage.play('vienna', [[{ calls: [{ name: 'system.processes', arguments: {} }] }], [{ text: 'All is **well**.' }]])
    await page.goto('/chat?new=true')
    await messageBox(page).fill('How is vienna?')
    await page.getByRole('button', { name: 'Send' }).tap()
    const answer = await lastAnswer(page)
    await answer.getByText('All is well.').waitFor()
    await chooseAction(answer, 'Save as report', 'tap')
    await page.getByText('The report is among your files.').waitFor()
    await pictures(page, 'report-saved')
    await page.getByRole('button', { name: 'Show', exact: true }).tap()
    await page.waitForURL((url) => url.pathname === '/files' && url.searchParams.has('f'))
    await page
      .getByText(/How is vienna.* \d{4}-\d\d-\d\d\.md/)
      .first()
      .waitFor()
    const { items } = await member.client.call(contract.files.list, {})
    expect(items.map(({ extension }) => extension).sort()).toEqual(['md', 'xlsx'])
  })
})
