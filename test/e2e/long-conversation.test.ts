import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { openVisitor, type Visitor } from './visitor.ts'

const MESSAGES = 5000
const NEEDLE = 1234

describe(`a conversation of ${MESSAGES} messages`, () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  let log: Locator
  let id: string

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    const admin = await app.as('admin')
    const imported = await admin.call(contract.chat.importConversation, { body: JSON.stringify(longConversation()) })
    id = imported.conversation_id
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
    log = page.getByRole('log', { name: 'Messages' })
  }, 120_000)
  afterAll(() => opened.disposeAsync())

  const toEnd = (): Promise<number> => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
  const drawn = (): Promise<number> => page.getByRole('article').count()

  test('opens at its end, and draws what is in sight', async () => {
    await page.goto(`/chat?c=${id}`)
    await log.getByText(`Message ${MESSAGES}.`, { exact: false }).waitFor()
    await expect.poll(toEnd).toBeLessThan(2)
    expect(await drawn()).toBeLessThan(30)
    await visitor.expectAccessible()
  })

  test('pages backwards without moving what is read', async () => {
    await log.hover()
    for (let pages = 0; pages < 3; pages++) {
      const paths = visitor.paths.length
      while (!visitor.paths.slice(paths).some((path) => path.includes('before='))) {
        await page.mouse.wheel(0, -900)
        await page.waitForTimeout(30)
      }
      await settled(log)
      const [first, before] = await log.evaluate(topMessage)
      await page.waitForTimeout(300)
      expect(await log.evaluate(topMessage)).toEqual([first, before])
    }
    expect(await drawn()).toBeLessThan(40)
    await page.getByRole('button', { name: 'Jump to newest' }).click()
    await expect.poll(toEnd).toBeLessThan(2)
    await log.getByText(`Message ${MESSAGES}.`, { exact: false }).waitFor()
  })

  test('a search goes to a message far back, and on from there', async () => {
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('needle')
    const hit = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link')
    await hit.locator('mark', { hasText: 'needle' }).waitFor()
    await hit.click()
    const found = log.getByText(`Message ${NEEDLE}.`, { exact: false })
    await found.waitFor()
    await expect.poll(() => isInSight(found, log)).toBe(true)
    await settled(log)
    expect(await isInSight(found, log)).toBe(true)
    expect(await drawn()).toBeLessThan(40)
    // Reading on in both directions meets the neighbours.
    await log.hover()
    await page.mouse.wheel(0, 1500)
    await log.getByText(`Message ${NEEDLE + 8}.`, { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Jump to newest' }).click()
    await expect.poll(toEnd).toBeLessThan(2)
  })
})

/** What an export of a long conversation looks like; messages differ in height. */
function longConversation(): object {
  const created_at = new Date().toISOString()
  const id = (number: number): string => `msg_${String(number).padStart(26, '0')}`
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    const number = index + 1
    const more = 'It says something of some length, so that it has lines. '.repeat(1 + ((number * 7) % 11))
    const list = number % 6 === 0 ? '\n\n- one\n- two\n- three\n\n```sh\nls -l\n```' : ''
    const text = `Message ${number}.${number === NEEDLE ? ' Here is the needle.' : ''} ${more}${list}`
    return {
      message_id: id(number),
      parent_id: index === 0 ? null : id(index),
      role: index % 2 === 0 ? 'user' : 'assistant',
      status: 'complete',
      created_at,
      parts: [{ type: 'text', text }],
    }
  })
  return {
    format: 'reeve.conversation',
    version: 1,
    title: 'A long matter',
    exported_at: created_at,
    head_message_id: id(MESSAGES),
    messages,
  }
}

/** The first message in sight and its distance from the top, in whole pixels. */
function topMessage(box: Element): [string, number] {
  const top = box.getBoundingClientRect().top
  const row = [...box.querySelectorAll('li')].find((item) => item.getBoundingClientRect().bottom > top + 40)!
  return [/Message \d+/.exec(row.textContent ?? '')![0], Math.round(row.getBoundingClientRect().top - top)]
}

/** Waits until nothing scrolls any more. */
async function settled(log: Locator): Promise<void> {
  let before = ''
  const moved = async (): Promise<boolean> => {
    const now = JSON.stringify(await log.evaluate(topMessage))
    const same = now === before
    before = now
    return same
  }
  await expect.poll(moved, { interval: 100 }).toBe(true)
}

async function isInSight(message: Locator, log: Locator): Promise<boolean> {
  const [inner, outer] = await Promise.all([message.boundingBox(), log.boundingBox()])
  return inner !== null && outer !== null && inner.y >= outer.y - 5 && inner.y < outer.y + outer.height
}
