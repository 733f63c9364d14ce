import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { startScriptedModel } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

/** A message as the model gets it: a text, or parts of one. */
function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

describe('quick commands, the command palette and shortcuts', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    const model = opened.use(
      await startScriptedModel((request) => [
        { text: `Heard: ${textOf(request.messages.findLast(({ role }) => role === 'user')?.content)}` },
      ]),
    )
    app = opened.use(await startTestApp({ model }))
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  const dialog = (name: string): Locator => page.getByRole('dialog', { name, exact: true })
  const palette = (): Locator => page.getByRole('combobox', { name: 'Search and commands' })
  const openPalette = async (query: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await palette().fill(query)
  }
  const chosen = (): Locator => dialog('Search and commands').getByRole('option', { selected: true })
  /** Nothing has the focus, as after a click beside everything. */
  const leave = (): Promise<void> => page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  async function create(name: string, prompt: string, mode: RegExp): Promise<void> {
    const editor = dialog('New command')
    await editor.getByRole('textbox', { name: 'Name' }).fill(name)
    await editor.getByRole('textbox', { name: 'Prompt' }).fill(prompt)
    await editor.getByRole('radio', { name: mode }).check()
    await editor.getByRole('button', { name: 'Save' }).click()
    await editor.waitFor({ state: 'detached' })
  }

  test('the dashboard explains them, and one with variables is made there', async () => {
    const none = page.getByText(
      'A quick command is a reusable prompt with blanks to fill in. Create one here, or save a message you have sent.',
    )
    await none.waitFor()
    await visitor.expectAccessible()
    await page.getByRole('button', { name: 'New command' }).click()
    const editor = dialog('New command')
    await editor.getByRole('textbox', { name: 'Name' }).fill('Disk report')
    await editor
      .getByRole('textbox', { name: 'Prompt' })
      .fill('Report on {{disk:choice(sda|sdb)}}, {{days:number}} days since {{day:date}}. {{remark}} {{odd:frob}}')
    await editor.getByText('sda · sdb').waitFor()
    await editor.getByText(/“odd” has an unknown type/).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'command-editor')
    // What was written is not lost by a stray key.
    await page.keyboard.press('Escape')
    await editor.getByRole('alert').getByText('Discard unsaved changes?').waitFor()
    await editor.getByRole('button', { name: 'Keep editing' }).click()
    await editor.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Disk report' }).waitFor()
    expect(await none.count()).toBe(0)
  })

  test('insert: asks for the variables, fills the message box and waits', async () => {
    await page.getByRole('button', { name: 'Disk report' }).click()
    const form = dialog('Disk report')
    await form.getByRole('textbox', { name: 'days' }).fill('seven')
    await page.keyboard.press('Enter')
    await form.getByText('Enter a number, with a point for decimals.').waitFor()
    await visitor.expectAccessible()
    await form.getByRole('combobox', { name: 'disk' }).selectOption('sdb')
    await form.getByRole('textbox', { name: 'days' }).fill('7')
    await form.getByLabel('day', { exact: true }).fill('2026-11-01')
    await form.getByRole('textbox', { name: 'remark' }).fill('Be {{short}}.')
    await page.keyboard.press('Enter')
    // A value is a value: what looks like a variable in it is not asked for.
    await expect
      .poll(() => messageBox(page).inputValue())
      .toBe('Report on sdb, 7 days since 2026-11-01. Be {{short}}. {{odd:frob}}')
    await expect.poll(() => messageBox(page).evaluate((box) => box === document.activeElement)).toBe(true)
    await messageBox(page).press('Enter')
    await (await lastAnswer(page)).getByText(/^Heard: Report on sdb/).waitFor()
  })

  test('the values are there again the next time', async () => {
    await messageBox(page).fill('/disk')
    await visitor.expectAccessible()
    await messageBox(page).press('Enter')
    const form = dialog('Disk report')
    await form.waitFor()
    expect(await form.getByRole('combobox', { name: 'disk' }).inputValue()).toBe('sdb')
    expect(await form.getByRole('textbox', { name: 'days' }).inputValue()).toBe('7')
    expect(await form.getByRole('textbox', { name: 'remark' }).inputValue()).toBe('Be {{short}}.')
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
  })

  test('send: from the box, in this conversation, and the draft stays', async () => {
    await page.getByRole('button', { name: 'Quick commands' }).click()
    await dialog('Quick commands').getByRole('button', { name: 'New command' }).click()
    await create('How are you', 'How is the service?', /^Send Sends/)
    await page.keyboard.press('Escape')
    await dialog('Quick commands').waitFor({ state: 'detached' })
    const before = page.url()
    await messageBox(page).fill('half a thought')
    await openPalette('how are')
    await chosen().getByText('How are you').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Heard: How is the service?').waitFor()
    expect(page.url()).toBe(before)
    expect(await messageBox(page).inputValue()).toBe('half a thought')
    await messageBox(page).fill('')
    await messageBox(page).fill('/how a')
    await page.getByRole('option', { name: /How are you/ }).waitFor()
    await messageBox(page).press('Enter')
    await expect.poll(() => page.getByText('Heard: How is the service?').count()).toBe(2)
    expect(await messageBox(page).inputValue()).toBe('')
  })

  test('new: from the palette, in a conversation of its own', async () => {
    const before = page.url()
    await openPalette('new command')
    await chosen().getByText('New command').waitFor()
    await page.keyboard.press('Enter')
    await create('Morning', 'Good morning', /^New conversation/)
    await openPalette('morn')
    await chosen().getByText('Morning', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Heard: Good morning').waitFor()
    expect(page.url()).not.toBe(before)
    await page.getByRole('heading', { level: 1, name: 'Good morning' }).waitFor()
  })

  test('a message becomes a command', async () => {
    const message = page.getByRole('article', { name: 'You' })
    await message.getByText('Good morning').hover()
    await page.getByRole('button', { name: 'Save as command' }).click()
    const editor = dialog('New command')
    expect(await editor.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('Good morning')
    await page.keyboard.press('Escape')
    await editor.waitFor({ state: 'detached' })
  })

  test('the list: folders by drag and by menu, delete with undo, export and import', async () => {
    await openPalette('quick')
    await chosen().getByText('Quick commands').waitFor()
    await page.keyboard.press('Enter')
    const list = dialog('Quick commands')
    await list.getByRole('button', { name: 'More for quick commands' }).click()
    await page.getByRole('menuitem', { name: 'New folder' }).click()
    await dialog('New folder').getByRole('textbox', { name: 'Name' }).fill('Daily')
    await page.keyboard.press('Enter')
    const folder = list.getByRole('region', { name: 'Daily' })
    await list.getByRole('listitem').filter({ hasText: 'Morning' }).dragTo(folder)
    await folder.getByText('Good morning').waitFor()
    await list.getByRole('button', { name: 'Actions for Disk report' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Daily' }).click()
    await folder.getByText('Disk report').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'commands')

    await folder.getByRole('button', { name: 'Actions for Morning' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await folder.getByText('Good morning').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await folder.getByText('Good morning').waitFor()

    await list.getByRole('button', { name: 'More for quick commands' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Export' }).click()
    const path = await (await download).path()
    await list.getByRole('button', { name: 'More for quick commands' }).click()
    const picker = page.waitForEvent('filechooser')
    await page.getByRole('menuitem', { name: 'Import', exact: true }).click()
    await (await picker).setFiles(path)
    await page.getByText('None added, 0 replaced, 3 unchanged.').waitFor()
    expect(await list.getByRole('listitem').count()).toBe(3)
    await page.keyboard.press('Escape')
  })

  test('another tab has a new command at once', async () => {
    const other = await visitor.context.newPage()
    await other.goto('/')
    await other.getByRole('button', { name: 'Morning' }).waitFor()
    await openPalette('new command')
    await page.keyboard.press('Enter')
    await create('Evening', 'Good evening', /^Insert/)
    await other.getByRole('button', { name: 'Evening' }).waitFor()
    expect(await other.getByRole('button', { name: 'Morning' }).count()).toBe(1)
    await other.close()
  })

  test('the palette by keyboard: finds a conversation, marks, wraps, closes and gives the focus back', async () => {
    await messageBox(page).focus()
    await page.keyboard.press('Control+k')
    await dialog('Search and commands').getByRole('option').first().waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'palette')
    await page.keyboard.press('End')
    await chosen().getByText('Sign out').waitFor()
    await page.keyboard.press('ArrowDown')
    const first = dialog('Search and commands').getByRole('option').first()
    expect(await first.getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Escape')
    await expect.poll(() => messageBox(page).evaluate((box) => box === document.activeElement)).toBe(true)

    await openPalette('report on sdb')
    await chosen()
      .getByText(/Report on sdb/)
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/^Heard: Report on sdb/).waitFor()

    await openPalette('memory')
    await chosen().getByText('Memory', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => messageBox(page).inputValue()).toMatch(/^\/system\.memory $/)
    await messageBox(page).fill('')
  })

  test('single keys: pages, a new conversation, the box, the neighbours; never while typing', async () => {
    await messageBox(page).fill('')
    await page.keyboard.type('ng?')
    expect(await messageBox(page).inputValue()).toBe('ng?')
    await messageBox(page).fill('')
    await leave()
    const shown = page.url()
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(() => page.url()).not.toBe(shown)
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(() => page.url()).toBe(shown)
    await page.keyboard.press('/')
    await expect.poll(() => messageBox(page).evaluate((box) => box === document.activeElement)).toBe(true)
    await page.getByRole('listbox').waitFor()
    await leave()
    expect(await messageBox(page).inputValue()).toBe('')
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    await page.keyboard.press('n')
    await page.waitForURL(/new=true/)
    await say(page, 'From the new one')
    await lastAnswer(page)
  })

  test('the map lists them, and turns single keys off', async () => {
    await leave()
    await page.keyboard.press('?')
    const map = dialog('Keyboard shortcuts')
    await map.getByText('Go to dashboard').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'keyboard-map')
    await map.getByRole('switch').uncheck()
    await map.getByText('Go to dashboard (off)').waitFor()
    await page.keyboard.press('Escape')
    await map.waitFor({ state: 'detached' })
    await leave()
    await page.keyboard.press('?')
    await page.keyboard.press('n')
    await openPalette('keyboard')
    await chosen().getByText('Keyboard shortcuts').waitFor()
    expect(await map.count()).toBe(0)
    expect(page.url()).not.toContain('new=true')
    await page.keyboard.press('Enter')
    await map.getByRole('switch').check()
    await page.keyboard.press('Escape')
    await leave()
    await page.keyboard.press('?')
    await map.waitFor()
  })
})
