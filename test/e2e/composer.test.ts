import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../stage/browser.ts'
import { openStage, type Stage } from '../stage/chat-stage.ts'
import { gate, type Gate } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { expectFits, lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

describe('the message box', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let browser: Browser
  let ann: Visitor

  const queue = (page: Page): Locator => page.getByRole('region', { name: 'Queued messages' })
  const hint = (page: Page): Locator => page.getByText(/to send, Shift\+Enter/)
  /** A conversation of its own, whose run waits at the gate. */
  const running = async (page: Page, cue: string): Promise<Gate> => {
    const held = gate()
    stage.play(cue, () => [{ text: 'I am looking into it. ' }, { wait: held }, { text: 'Here is the result.' }])
    await page.goto('/chat?new=true')
    await say(page, cue)
    await held.reached
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
    return held
  }

  beforeAll(async () => {
    stage = opened.use(await openStage({ name: 'sqlite', url: () => Promise.resolve('') }))
    await stage.member('ann')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    ann = opened.use(await openVisitor(browser, stage.app.url))
    ann.expectMessage(/\/api\/auth\/session\b/)
    await ann.signIn('ann')
  })
  afterAll(() => opened.disposeAsync())

  test('a message written during a run is queued, in every tab, can be changed, and is sent after it', async () => {
    const { page } = ann
    const held = await running(page, 'compare the disks')
    await messageBox(page).fill('And which of them is the oldest?')
    await page.getByText('Ctrl+Enter stops the run and sends').waitFor()
    await messageBox(page).press('Enter')
    await queue(page).getByText('And which of them is the oldest?').waitFor()
    expect(await messageBox(page).inputValue()).toBe('')
    await messageBox(page).fill(
      'Write a summary for the owner of the machine, with one table of all disks and their age',
    )
    await page.getByRole('button', { name: 'Queue message' }).click()
    await expect.poll(() => queue(page).getByRole('listitem').count()).toBe(2)
    await expectFits(ann)
    await pictures(page, 'queue-waiting')
    // With the keyboard: the button keeps the focus, or hands it to the other one at the end of the list.
    const first = queue(page).getByRole('listitem').first()
    await queue(page).getByRole('button', { name: 'Move queued message up' }).last().press('Enter')
    await first.getByText('Write a summary').waitFor()
    const focused = page.locator(':focus')
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Move queued message down')
    await page.keyboard.press('Enter')
    await first.getByText('And which of them').waitFor()
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Move queued message up')

    const other = await ann.context.newPage()
    await other.goto(page.url())
    await queue(other).getByText('Write a summary').waitFor()
    await queue(other).getByRole('button', { name: 'Edit queued message' }).last().click()
    await other.getByRole('textbox', { name: 'Edit queued message' }).fill('Write a short summary')
    await other.keyboard.press('Enter')
    await queue(page).getByText('Write a short summary').waitFor()
    await queue(page).getByRole('button', { name: 'Remove queued message' }).first().click()
    await expect.poll(() => queue(other).getByRole('listitem').count()).toBe(1)
    held.open()
    await page.getByRole('article', { name: 'You' }).getByText('Write a short summary').waitFor()
    await queue(page).waitFor({ state: 'detached' })
    await other.close()
    await lastAnswer(page)
  })

  test('one that is sent while it is edited says so, and keeps what was typed', async () => {
    const { page } = ann
    const held = await running(page, 'find the log')
    await say(page, 'Then read it')
    await queue(page).getByRole('button', { name: 'Edit queued message' }).click()
    const editor = page.getByRole('textbox', { name: 'Edit queued message' })
    await editor.fill('Then read it twice')
    ann.expectMessage(/409/)
    // The page learns of the end only after the server has sent the message.
    await page.route('**/queue', (route) => route.abort())
    ann.expectMessage(/ERR_FAILED/)
    held.open()
    await page.getByRole('article', { name: 'You' }).getByText('Then read it').waitFor()
    await editor.press('Enter')
    await page.getByText('This message was sent while you were editing it.').waitFor()
    expect(await editor.inputValue()).toBe('Then read it twice')
    await page.unroute('**/queue')
  })

  test('a stop keeps it, to be sent or removed; Ctrl+Enter stops and sends', async () => {
    const { page } = ann
    await running(page, 'scan the network')
    await say(page, 'List the open ports')
    await queue(page).getByText('List the open ports').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await queue(page).getByText('Not sent by themselves').waitFor()
    await expectFits(ann)
    await pictures(page, 'queue-held')
    await queue(page).getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('article', { name: 'You' }).getByText('List the open ports').waitFor()
    await lastAnswer(page)

    await running(page, 'count the users')
    await messageBox(page).fill('Never mind, how many groups?')
    await messageBox(page).press('Control+Enter')
    await page.getByRole('article', { name: 'You' }).getByText('how many groups?').waitFor()
    await expect.poll(() => page.getByRole('article', { name: 'Answer' }).last().innerText()).toContain('Understood.')
    expect(await queue(page).count()).toBe(0)
  })

  test('what the keys do is told until it is known', async () => {
    const fresh = await openVisitor(browser, stage.app.url)
    fresh.expectMessage(/\/api\/auth\/session\b/)
    await using _closing = fresh
    const { page } = fresh
    await fresh.signIn('ann')
    await page.goto('/chat?new=true')
    await hint(page).waitFor()
    for (const text of ['One', 'Two', 'Three']) {
      await say(page, text)
      await page.getByRole('article', { name: 'You' }).getByText(text, { exact: true }).waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0)
    }
    await page.reload()
    await messageBox(page).waitFor()
    expect(await hint(page).count()).toBe(0)
  })

  test('/ opens the list of tools; a tool opens its form, which checks, and is the same as the text', async () => {
    const { page } = ann
    await page.goto('/chat?new=true')
    await messageBox(page).fill('A thought of mine')
    await page.getByRole('main').focus()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('/')
    const list = page.getByRole('listbox')
    await list.waitFor()
    await page.keyboard.press('Escape')
    expect(await messageBox(page).inputValue()).toBe('A thought of mine')
    await messageBox(page).fill('')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('/')
    await page.keyboard.type('run_command')
    await page.keyboard.press('Enter')
    const form = page.getByRole('group', { name: /^Arguments of/ })
    const field = form.getByLabel('command (required)')
    await field.waitFor()
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await form.getByText('This is needed.').waitFor()
    await expectFits(ann)
    await field.fill('echo "two words"')
    await form.getByRole('combobox', { name: 'shell' }).selectOption('Yes')
    await pictures(page, 'tool-form')
    await form.getByRole('button', { name: 'Edit as text' }).click()
    expect(await messageBox(page).inputValue()).toBe('/system.run_command command="echo \\"two words\\"" shell=true')
    expect((await messageBox(page).boundingBox())!.height).toBeGreaterThan(20)
    await messageBox(page).fill('/system.run_command command=uptime deadline_s=soon')
    await page.getByRole('button', { name: 'Fill in a form' }).click()
    expect(await field.inputValue()).toBe('uptime')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await form.getByText(/^Enter a/).waitFor()
    await form.getByLabel('deadline_s').fill('5')
    await page.keyboard.press('Enter')
    await page
      .getByRole('article', { name: 'You' })
      .getByText('/system.run_command command=uptime deadline_s=5')
      .waitFor()
    // What was sent is suggested the next time.
    await page.goto('/chat?new=true')
    await messageBox(page).pressSequentially('/run_command')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await field.waitFor()
    expect(await page.locator('datalist option').first().getAttribute('value')).toBe('uptime')
  })
})

describe('without an engine', () => {
  const opened = new AsyncDisposableStack()
  let ann: Visitor

  beforeAll(async () => {
    const stage = opened.use(await openStage({ name: 'sqlite', url: () => Promise.resolve('') }, { engine: false }))
    await stage.member('ann')
    const browser = await openBrowser()
    opened.defer(() => browser.close())
    ann = opened.use(await openVisitor(browser, stage.app.url))
    ann.expectMessage(/\/api\/auth\/session\b/)
    await ann.signIn('ann')
  })
  afterAll(() => opened.disposeAsync())

  test('words are answered with the way out and the nearest tools, which fill the box; the rest is a key away', async () => {
    const { page } = ann
    await page.goto('/chat?new=true')
    await say(page, 'How full is the disk?')
    await lastAnswer(page)
    const answer = page.getByRole('article', { name: 'Answer' }).first()
    await answer.getByText('No AI engine is set up yet').waitFor()
    expect(await answer.getByRole('listitem').count()).toBeLessThanOrEqual(5)
    const [first] = await answer.getByRole('listitem').allInnerTexts()
    expect(first).toContain('/system.disks')
    await expectFits(ann)
    await pictures(page, 'direct-words')
    await messageBox(page).fill('My thoughts')
    await answer.getByRole('button', { name: '/system.disks' }).click()
    expect(await messageBox(page).inputValue()).toBe('/system.disks ')
    expect(await messageBox(page).evaluate((box) => box === document.activeElement)).toBe(true)
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(1)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('article', { name: 'You' }).count()).toBe(2)
    await lastAnswer(page)
    // It comes back once the server has accepted what was sent, which is shown before.
    await expect.poll(() => messageBox(page).inputValue()).toBe('My thoughts')
    await messageBox(page).fill('')
    await answer.getByRole('button', { name: '/', exact: true }).click()
    await page.getByRole('listbox').waitFor()
    await pictures(page, 'direct-all-tools')
  })
})
