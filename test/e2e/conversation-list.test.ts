import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../stage/browser.ts'
import { begin, command, openStage, say as ask, type Stage } from '../stage/chat-stage.ts'
import { gate } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, PHONE, type Visitor } from './visitor.ts'

const MANY = 10_000
const HOUR = 3_600_000
const NAMES = ['Disk usage of web01', 'Why is the backup slow?', 'Certificates that expire soon', 'Restart of nginx']

describe('the list of conversations', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let browser: Browser
  let ann: Visitor

  const list = (page: Page): Locator => page.getByRole('navigation', { name: 'Conversations' })
  const topHeading = (page: Page): Promise<string> =>
    list(page).evaluate((box) => {
      const { left, top, width } = box.getBoundingClientRect()
      return document.elementFromPoint(left + width / 2, top + 14)?.textContent ?? ''
    })

  beforeAll(async () => {
    stage = opened.use(await openStage({ name: 'sqlite', url: () => Promise.resolve('') }))
    const { user_id, client } = await stage.member('ann', [
      { subject: 'tool:system.run_command', effect: 'ask', approvers: [] },
    ])
    const now = Date.now()
    const rows = Array.from({ length: MANY }, (_, at) => ({
      conversation_id: `cnv_seed${String(MANY - at).padStart(20, '0')}`,
      user_id,
      folder_id: null,
      title: `${NAMES[at % NAMES.length]} ${at + 1}`,
      title_source: 'user' as const,
      pinned: at === 5 ? 1 : 0,
      head_message_id: null,
      created_at: now - at * HOUR - HOUR,
      updated_at: now - at * HOUR - HOUR,
      deleted_at: null,
      imported_at: null,
      queued: 0,
      kind: 'chat' as const,
    }))
    await stage.app.db.transaction(async (trx) => {
      for (let from = 0; from < MANY; from += 500)
        await trx
          .insertInto('conversation')
          .values(rows.slice(from, from + 500))
          .execute()
    })
    const held = gate()
    stage.play('watch the load', () => [{ text: 'Watching. ' }, { wait: held }])
    stage.play('clean up', [[{ calls: [command('true')] }]])
    await begin(client, 'watch the load')
    await held.reached
    await ask(client, 'clean up')
    opened.defer(() => held.open())
    browser = await openBrowser()
    opened.defer(() => browser.close())
    ann = opened.use(await openVisitor(browser, stage.app.url))
    ann.expectMessage(/\/api\/auth\/session\b/)
    await ann.signIn('ann')
    await ann.page.goto('/chat?new=true')
    await list(ann.page)
      .getByRole('link', { name: /Disk usage/ })
      .first()
      .waitFor()
  })
  afterAll(() => opened.disposeAsync())

  test('has one line per entry, in groups by time, with the states as marks', async () => {
    const { page } = ann
    await list(page).getByRole('heading', { name: 'Pinned' }).waitFor()
    await list(page).getByRole('heading', { name: 'Today' }).waitFor()
    const running = list(page).getByRole('link', { name: /watch the load/ })
    await running.getByText(/Thinking|Working|Running/).waitFor({ state: 'attached' })
    const waiting = list(page).getByRole('link', { name: /clean up/ })
    await waiting.getByText(/[Ww]aiting|approval/).waitFor({ state: 'attached' })
    expect((await running.boundingBox())?.height).toBe(36)
    await expectFits(ann)
    await pictures(page, 'list')
  })

  test('keeps the heading of what is in view, however far it is scrolled, and draws only that', async () => {
    const { page } = ann
    await list(page).evaluate((box) => box.scrollTo(0, 60 * 36))
    await expect
      .poll(() => topHeading(page))
      .toMatch(/^(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Yesterday)$/)
    const month = /^[A-Z][a-z]+ \d{4}$/
    const goOn = async (): Promise<string> => {
      await list(page).evaluate((box) => box.scrollTo(0, box.scrollHeight))
      return topHeading(page)
    }
    await expect.poll(goOn, { timeout: 20_000 }).toMatch(month)
    expect(await list(page).getByRole('link').count()).toBeLessThan(45)
    await expectFits(ann)
    await pictures(page, 'list-months')
  })

  test('is walked by keys, and no row is left below the heading', async () => {
    const { page } = ann
    await list(page).evaluate((box) => box.scrollTo(0, 0))
    await list(page)
      .getByRole('link', { name: /watch the load/ })
      .focus()
    for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowDown')
    for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowUp')
    const covered = await page.evaluate(() => {
      const box = document.activeElement!.getBoundingClientRect()
      const shown = document.elementFromPoint(box.left + 20, box.top + 4)
      return shown === null || !document.activeElement!.contains(shown)
    })
    expect(covered).toBe(false)
    await page.keyboard.press('Home')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('Why is the backup slow? 6')
  })

  test('fits a phone', async () => {
    const { page } = ann
    await page.setViewportSize(PHONE)
    await page.getByRole('button', { name: 'Conversations' }).click()
    await list(page).getByRole('heading', { name: 'Today' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await ann.expectAccessible()
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await pictures(page, 'list-drawer')
    }
  })
})
