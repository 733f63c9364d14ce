import { readFile } from 'node:fs/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { gate, startScriptedModel } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

/** Enough that the list must not draw them all. */
const MANY = 120

describe('conversations', () => {
  const opened = new AsyncDisposableStack()
  const halfway = gate()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  let other: Page

  beforeAll(async () => {
    let answers = 0
    const model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        if (question.includes('Old matter')) return [{ text: 'Noted.' }]
        if (question.includes('slowly')) return [{ text: 'One ' }, { wait: halfway }, { text: 'and two.' }]
        return [{ text: `Answer ${++answers} to ${question.replaceAll(/["\\]/g, '')}` }]
      }),
    )
    app = opened.use(await startTestApp({ model }))
    const admin = await app.as('admin')
    for (let number = 1; number <= MANY; number++) {
      const message = `Old matter ${number}${number === 7 ? '\nIt is about the lighthouse.' : ''}`
      await admin.call(contract.chat.send, { body: { message, conversation_id: null } })
    }
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
    // Another browser: a second tab would lie behind the first, where Chromium hardly draws.
    const elsewhere = opened.use(await openVisitor(browser, app.url))
    elsewhere.expectMessage(/\/api\/auth\/session\b/)
    await elsewhere.signIn('admin')
    other = elsewhere.page
    await page.goto('/chat?new=true')
    await other.goto('/chat?new=true')
  })
  afterAll(() => opened.disposeAsync())

  const list = (on: Page): Locator => on.getByRole('navigation', { name: 'Conversations' })
  const menuOf = async (title: string, on = page): Promise<void> => {
    await list(on).getByRole('link', { name: title }).hover()
    await on.getByRole('button', { name: `Actions for ${title}` }).click()
  }

  test('the list is loaded as it is scrolled, draws what is in sight, and is walked by arrow keys', async () => {
    const links = list(page).getByRole('link')
    await list(page)
      .getByRole('link', { name: `Old matter ${MANY}` })
      .waitFor()
    expect(await links.count()).toBeLessThan(40)
    await links.first().focus()
    await page.keyboard.press('End')
    const scrollToEnd = async (): Promise<string[]> => {
      await list(page).evaluate((box) => box.scrollTo(0, box.scrollHeight))
      return links.allInnerTexts()
    }
    await expect.poll(scrollToEnd).toContainEqual(expect.stringMatching(/^Old matter 1\n/))
    expect(await links.count()).toBeLessThan(40)
    await list(page).evaluate((box) => box.scrollTo(0, 0))
    await list(page)
      .getByRole('link', { name: `Old matter ${MANY}` })
      .focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(`Old matter ${MANY - 2}`)
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
  })

  test('a name, a pin and a folder given in one browser are in the other at once', async () => {
    await menuOf(`Old matter ${MANY}`)
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Harbour wall')
    await page.getByRole('button', { name: 'Save' }).click()
    await list(other).getByRole('link', { name: 'Harbour wall' }).waitFor()

    await menuOf('Harbour wall')
    await page.getByRole('menuitem', { name: 'Pin', exact: true }).click()
    await list(other).getByRole('heading', { name: 'Pinned' }).waitFor()
    await list(page).getByRole('heading', { name: 'Pinned' }).waitFor()

    await page.getByRole('button', { name: 'All conversations' }).click()
    await page.getByRole('menuitem', { name: 'New folder' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Buildings')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This folder is empty.').waitFor()
    await other.getByRole('button', { name: 'All conversations' }).click()
    await other.getByRole('menuitemcheckbox', { name: 'Buildings' }).waitFor()
    await other.keyboard.press('Escape')
    expect(await list(other).getByRole('link', { name: 'Harbour wall' }).count()).toBe(1)
  })

  test('conversations go into a folder by keyboard and by dragging, and it is renamed and deleted', async () => {
    await page.getByRole('button', { name: 'Buildings' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'All conversations' }).click()
    await list(page).getByRole('link', { name: 'Harbour wall' }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitemcheckbox', { name: 'Buildings' }).focus()
    await page.keyboard.press('Enter')

    const moved = list(page).getByRole('link', { name: `Old matter ${MANY - 1}` })
    const from = (await moved.boundingBox())!
    await page.mouse.move(from.x + 40, from.y + 10)
    await page.mouse.down()
    await page.mouse.move(from.x + 50, from.y + 20, { steps: 4 })
    const target = page.locator('[data-drop-folder=Buildings]')
    await target.waitFor()
    await visitor.expectAccessible()
    const to = (await target.boundingBox())!
    await page.mouse.move(to.x + 30, to.y + 10, { steps: 4 })
    await page.mouse.up()
    await target.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'All conversations' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Buildings' }).click()
    await expect.poll(() => list(page).getByRole('link').count()).toBe(2)
    await page.getByRole('button', { name: 'Buildings' }).click()
    await page.getByRole('menuitem', { name: 'Rename folder' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Quays')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Quays' }).click()
    await page.getByRole('menuitem', { name: 'Delete folder “Quays”' }).click()
    await page.getByRole('button', { name: 'All conversations' }).waitFor()
    await expect.poll(() => list(page).getByRole('link').count()).toBeGreaterThan(2)
  })

  test('a search shows where it found its words, and goes to the message', async () => {
    const box = page.getByRole('searchbox', { name: 'Search conversations' })
    await box.fill('lighthouse')
    const hit = list(page).getByRole('link', { name: 'Old matter 7' })
    await hit.locator('mark', { hasText: 'lighthouse' }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'search')
    await box.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('about the lighthouse').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.has('m')).toBe(false)
    await box.press('Escape')
    expect(await box.inputValue()).toBe('')
    await list(page).getByRole('heading', { name: 'Pinned' }).waitFor()
  })

  test('a message is edited and answered again; the versions are a step apart, in every browser', async () => {
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor()
    await say(page, 'How deep is it')
    await lastAnswer(page)
    await other.goto(page.url())
    const mine = page.getByRole('log')
    await mine.getByText('How deep is it', { exact: true }).hover()
    await mine.getByRole('button', { name: 'Edit message' }).click()
    const editor = page.getByRole('textbox', { name: 'New message text' })
    await editor.press('Escape')
    await mine.getByRole('button', { name: 'Edit message' }).click()
    await visitor.expectAccessible()
    await editor.fill('How wide is it')
    await editor.press('Enter')
    await mine.getByText(/^Answer 2 to/).waitFor()
    const versions = mine.getByRole('group', { name: 'Versions' })
    await versions.getByText('2 / 2').waitFor()
    await other
      .getByRole('log')
      .getByText(/^Answer 2 to/)
      .waitFor()

    await versions.getByRole('button', { name: 'Previous version' }).click()
    await mine.getByText(/^Answer 1 to/).waitFor()
    expect(await mine.getByText('How wide is it', { exact: true }).count()).toBe(0)
    await other
      .getByRole('log')
      .getByText(/^Answer 1 to/)
      .waitFor()
    await expect
      .poll(() =>
        versions.getByRole('button', { name: 'Previous version' }).evaluate((b) => b === document.activeElement),
      )
      .toBe(true)

    await mine.getByRole('button', { name: 'Regenerate' }).click()
    await mine.getByText(/^Answer 3 to/).waitFor()
    await (await lastAnswer(page)).getByText('2 / 2').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'versions')
    await (await lastAnswer(page)).getByRole('button', { name: 'Previous version' }).click()
    await mine.getByText(/^Answer 1 to/).waitFor()
  })

  test('what runs elsewhere shows in the list', async () => {
    await messageBox(other).fill('Count slowly')
    await messageBox(other).press('Enter')
    const entry = list(page).getByRole('link', { name: 'How deep is it' })
    await entry.getByText(/Thinking|Working|Running/).waitFor()
    halfway.open()
    await expect.poll(() => entry.getByText(/Thinking|Working|Running/).count()).toBe(0)
  })

  test('a conversation is saved as a file and brought in again', async () => {
    const downloaded = page.waitForEvent('download')
    await menuOf('How deep is it')
    await page.getByRole('menuitem', { name: 'Save as JSON' }).click()
    const download = await downloaded
    const path = await download.path()
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ title: 'How deep is it' })
    const markdown = page.waitForEvent('download')
    await menuOf('How deep is it')
    await page.getByRole('menuitem', { name: 'Save as Markdown' }).click()
    expect((await markdown).suggestedFilename()).toMatch(/\.md$/)

    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Import a conversation' }).click()
    await (await chooser).setFiles(path)
    await page.getByText('“How deep is it” was imported.').waitFor()
    await page
      .getByRole('log')
      .getByText(/^Answer 1 to/)
      .waitFor()
    await expect.poll(() => list(page).getByRole('link', { name: 'How deep is it' }).count()).toBe(2)
    await list(other).getByRole('link', { name: 'How deep is it' }).nth(1).waitFor()

    visitor.expectMessage(/conversations\/import/)
    const again = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Import a conversation' }).click()
    await (await again).setFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{') })
    await page.getByText(/This file cannot be imported/).waitFor()
  })

  test('deleted conversations wait in the bin: one comes back, the others are permanently deleted', async () => {
    await other.goto('/chat?new=true')
    for (const title of [`Old matter ${MANY - 2}`, `Old matter ${MANY - 3}`, `Old matter ${MANY - 4}`]) {
      await menuOf(title)
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
      await list(other).getByRole('link', { name: title }).waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Deleted conversations' }).click()
    const bin = page.getByRole('navigation', { name: 'Deleted conversations' })
    await expect.poll(() => bin.getByRole('listitem').count()).toBe(3)
    await bin.getByText('30 days left').first().waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'bin')
    await bin.getByRole('button', { name: `Restore Old matter ${MANY - 2}` }).click()
    await list(other)
      .getByRole('link', { name: `Old matter ${MANY - 2}` })
      .waitFor()
    await bin.getByRole('button', { name: `Delete Old matter ${MANY - 3} permanently` }).click()
    await page
      .getByRole('dialog')
      .getByText(/cannot be undone/)
      .waitFor()
    await visitor.expectAccessible()
    await page.getByRole('button', { name: 'Delete permanently', exact: true }).click()
    await expect.poll(() => bin.getByRole('listitem').count()).toBe(1)
    await page.getByRole('button', { name: 'Empty bin' }).click()
    await page.getByRole('button', { name: 'Delete permanently', exact: true }).click()
    await page.getByText('The bin is empty.').waitFor()
    await page.getByRole('button', { name: 'Back to conversations' }).click()
    await list(page)
      .getByRole('link', { name: `Old matter ${MANY - 2}` })
      .waitFor()
    visitor.assertClean()
  })
})
