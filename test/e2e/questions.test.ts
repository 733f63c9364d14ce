import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askingModule } from '../stage/modules/asking-module.ts'
import { openBrowser } from '../stage/browser.ts'
import { openStage, type Stage } from '../stage/chat-stage.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      title: 'Name of the backup',
      description: 'Letters and digits.',
      minLength: 2,
      maxLength: 20,
    },
    size: { type: 'string', title: 'Size', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
    days: { type: 'integer', title: 'Days to keep it', minimum: 1, maximum: 30, default: 7 },
    verify: { type: 'boolean', title: 'Verify it afterwards', default: true },
    parts: {
      type: 'array',
      title: 'Parts',
      items: {
        anyOf: [
          { const: 'db', title: 'Database' },
          { const: 'files', title: 'Files' },
        ],
      },
    },
  },
  required: ['name', 'days'],
}

describe('questions of modules', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let browser: Browser
  let ann: Visitor

  const card = (page: Page): Locator => page.getByRole('article', { name: 'Ask' })
  /** What the module got, as the card of the call shows it. */
  const heard = async (answer: Locator): Promise<unknown> => {
    await answer
      .getByRole('heading', { name: /^Done Ask/ })
      .getByRole('button')
      .click()
    return JSON.parse(await answer.locator('pre').last().innerText())
  }
  const ask = (input: object): string => `/asker.ask ${JSON.stringify(input)}`

  beforeAll(async () => {
    stage = opened.use(
      await openStage({ name: 'sqlite', url: () => Promise.resolve('') }, { builtins: [askingModule], engine: false }),
    )
    await stage.member('ann')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    ann = opened.use(await openVisitor(browser, stage.app.url))
    ann.expectMessage(/\/api\/auth\/session\b/)
    await ann.signIn('ann')
    await ann.page.goto('/chat?new=true')
    await messageBox(ann.page).waitFor()
  })
  afterAll(() => opened.disposeAsync())

  test('the form says who asks, checks what is written, and keeps it; Enter sends nothing', async () => {
    const { page } = ann
    await say(page, ask({ message: 'How shall I call the backup?', schema: SCHEMA }))
    await card(page).getByText('asker asks:').waitFor()
    await card(page).getByText('Never enter a password').waitFor()
    const send = card(page).getByRole('button', { name: 'Send answer' })
    await expect.poll(() => send.isEnabled()).toBe(true)
    expect(await card(page).getByLabel('Days to keep it').inputValue()).toBe('7')
    await ann.expectAccessible()
    await pictures(page, 'question')
    await card(page).getByLabel('Days to keep it').fill('90')
    await send.click()
    await card(page).getByText('This field is required.').waitFor()
    await card(page).getByText('Must be at most 30.').waitFor()
    const name = card(page).getByLabel('Name of the backup')
    await name.fill('nightly')
    await name.press('Enter')
    await card(page).getByLabel('Days to keep it').fill('9')
    await card(page).getByLabel('Size (optional)').selectOption('Large')
    await card(page).getByLabel('Files').check()
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Approvals/ })
      .first()
      .click()
    await card(page).waitFor()
    expect(await card(page).getByLabel('Name of the backup').inputValue()).toBe('nightly')
    await ann.expectAccessible()
    const there = card(page).getByRole('button', { name: 'Send answer' })
    await expect.poll(() => there.isEnabled()).toBe(true)
    await there.click()
    await page.getByText('Answered').first().waitFor()
    await page.goBack()
    const answer = await lastAnswer(page)
    expect(await heard(answer)).toEqual([
      { action: 'accept', content: { name: 'nightly', size: 'l', days: 9, verify: true, parts: ['files'] } },
    ])
    await answer.getByText('Answered').waitFor()
    await ann.expectAccessible()
  })

  test('an address is shown in full, and opens in a tab of its own that knows nothing of this one', async () => {
    const { page, context } = ann
    await context.route('http://xn--bcher-kva.example/**', (route) => route.fulfill({ body: 'opened' }))
    await say(page, ask({ message: 'Please sign in there.', url: 'http://bücher.example/login?x=1' }))
    await card(page).getByText('xn--bcher-kva.example', { exact: true }).waitFor()
    await card(page).getByText('contains letters from another alphabet').waitFor()
    await card(page).getByText('not encrypted').waitFor()
    const open = card(page).getByRole('link', { name: 'Open xn--bcher-kva.example' })
    await expect.poll(() => open.getAttribute('href')).toBe('http://xn--bcher-kva.example/login?x=1')
    expect(await open.getAttribute('rel')).toBe('noopener noreferrer')
    await ann.expectAccessible()
    await pictures(page, 'question-address')
    ann.expectForeign('http://xn--bcher-kva.example')
    const [tab] = await Promise.all([context.waitForEvent('page'), open.click()])
    expect(await tab.evaluate(() => [window.opener, document.referrer])).toEqual([null, ''])
    await tab.close()
    expect(await heard(await lastAnswer(page))).toEqual([{ action: 'accept' }])
  })

  test('prompts of modules: filled in, or kept as a quick command', async () => {
    const { page } = ann
    const library = page.getByRole('dialog', { name: 'Quick commands' })
    const openLibrary = async (): Promise<void> => {
      await page.goto('/')
      await page
        .getByRole('button', { name: 'New command' })
        .or(page.getByRole('button', { name: 'Show all' }))
        .first()
        .waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('Quick commands')
      await page
        .getByRole('option', { name: /Quick commands/ })
        .first()
        .click()
      await library.getByText('From modules').waitFor()
    }
    await openLibrary()
    await ann.expectAccessible()
    await pictures(page, 'module-prompts')
    await library.getByRole('button', { name: 'Use Greet somebody' }).click()
    const form = page.getByRole('dialog', { name: 'Greet somebody' })
    await form.getByLabel('name', { exact: true }).fill('Ben')
    await ann.expectAccessible()
    await form.getByRole('button', { name: 'Insert' }).click()
    await expect.poll(() => messageBox(page).inputValue()).toBe('Greet Ben kindly.')
    await messageBox(page).fill('')
    await openLibrary()
    await library.getByRole('button', { name: 'Save Greet somebody as a quick command' }).click()
    const editor = page.getByRole('dialog')
    await expect.poll(() => editor.getByLabel('Prompt').inputValue()).toBe('Greet {{name}} {{tone}}.')
  })
})
