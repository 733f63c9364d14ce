import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import type { TestClient } from '../stage/client.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, type Visitor } from './visitor.ts'

describe('asking about something', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let admin: TestClient
  let browser: Browser
  let visitor: Visitor

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    admin = await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
  })
  afterAll(() => opened.disposeAsync())

  /** A new conversation with one file attached and the caret in its box; nothing has been sent. */
  const expectAttached = async (name: string): Promise<void> => {
    const { page } = visitor
    await page.waitForURL(/\/chat\?new=true/)
    await page.getByRole('button', { name: `Remove ${name}` }).waitFor()
    await expect.poll(() => messageBox(page).evaluate((box) => box === document.activeElement)).toBe(true)
    expect(await messageBox(page).inputValue()).toBe('')
    await visitor.expectAccessible()
  }
  const remove = (name: string): Promise<void> => visitor.page.getByRole('button', { name: `Remove ${name}` }).click()
  const conversations = async (): Promise<number> =>
    (await admin.call(contract.chat.listConversations, { query: {} })).items.length

  test('from a stored file', async () => {
    const { page } = visitor
    const { file } = await admin.call(contract.files.upload, {
      headers: { 'x-file-name': 'plan.txt' },
      body: Buffer.from('Plant the tulips in autumn.'),
    })
    await page.goto(`/files?f=${file.file_id}`)
    await visitor.expectAccessible()
    await page.getByRole('button', { name: 'Ask about this' }).click()
    await expectAttached('plan.txt')
    await pictures(page, 'ask-about')
    await remove('plan.txt')
    expect(await conversations()).toBe(0)
  })

  test('from the selected cells of a table', async () => {
    const { page } = visitor
    await messageBox(page).fill('/system.processes')
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = await lastAnswer(page)
    const grid = answer.getByRole('grid').first()
    const title = (await grid.getAttribute('aria-label'))!
    const heads = await grid.getByRole('columnheader').allInnerTexts()
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+ArrowRight')
    await answer.getByText('1 row × 2 columns selected').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'table-selection')
    await answer.getByRole('button', { name: 'Ask about this' }).click()
    await expectAttached(`${title}.tsv`)
    const { items } = await admin.call(contract.files.list, { query: {} })
    const download = await page.request.get(`/api/files/${items[0]!.file_id}/download`)
    const lines = (await download.text()).split('\n').map((line) => line.split('\t'))
    expect(lines.map((cells) => cells.length)).toEqual([2, 2])
    expect(lines[0]).toEqual(heads.slice(0, 2))
    await remove(`${title}.tsv`)
  })
})
