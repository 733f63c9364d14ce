import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { workingModule } from '../stage/modules/working-module.ts'
import { gate, startScriptedModel, type ScriptedCall, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const slow = gate()
/** The page follows the answer: how far a call is, is told to those who are there. */
const followed = gate()
const list = (of: string, more: object = {}): ScriptedCall => ({ name: 'works.list', arguments: { of, ...more } })
const scripts: Record<string, ScriptedStep[][]> = {
  capacity: [
    [
      { reasoning: 'I look at everything that could be full.' },
      { text: 'Let me look.' },
      { wait: followed },
      {
        calls: [
          list('disks', { until: 'slow', progress: 'Reading 3 of 8 disks', rows: 12 }),
          list('ports', { files: ['ports.txt'] }),
          { name: 'works.fail', arguments: { why: 'The sensor does not answer.' } },
        ],
      },
    ],
    [{ reasoning: 'Two more.' }, { calls: [list('wide', { rows: 6, columns: 24 }), list('fans', { rows: 4 })] }],
    [
      {
        text: '## There is room\n\nThe fullest disk has **38 %** left; at this rate it lasts until spring. One sensor does not answer, which has no bearing on this.',
      },
    ],
  ],
  many: [
    [{ calls: Array.from({ length: 300 }, (_, index) => list(`thing${index}`, { rows: 0 })) }],
    [{ text: 'All of them.' }],
  ],
}

describe('answer first', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    const model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        const cue = Object.keys(scripts).find((word) => question.includes(word)) ?? ''
        return scripts[cue]?.shift() ?? [{ text: 'Understood.' }]
      }),
    )
    app = opened.use(await startTestApp({ model, builtins: [workingModule({ slow })] }))
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
  })
  afterAll(() => opened.disposeAsync())

  const answer = (): Locator => page.getByRole('article', { name: 'Answer' }).last()
  const line = (name: RegExp): Locator => answer().getByRole('button', { name })
  const rows = (): Promise<string[]> =>
    answer()
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { level: 3 }) })
      .getByRole('button', { expanded: false })
      .allInnerTexts()

  test('while calls run: what runs now, how far it is, and how many are done', async () => {
    await say(page, 'Is there capacity left?')
    await answer().getByText('Let me look.').waitFor()
    followed.open()
    await slow.reached
    await answer().getByText('Reading 3 of 8 disks').waitFor()
    const running = line(/List things.*Reading 3 of 8 disks.*2 of 3/)
    await running.waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'work-running')
    await running.click()
    expect((await rows()).map((text) => /disks|ports|sensor/.exec(text)?.[0])).toEqual(['disks', 'ports', 'sensor'])
  })

  test('a list that is open stays so, in the order of the requests, whatever ends first', async () => {
    slow.open()
    await answer().getByText('There is room').waitFor()
    await lastAnswer(page)
    expect((await rows()).map((text) => /disks|ports|sensor|wide|fans/.exec(text)?.[0])).toEqual([
      'disks',
      'ports',
      'sensor',
      'wide',
      'fans',
    ])
    await visitor.expectAccessible()
    await pictures(page, 'work-open')
    await page.reload()
    await lastAnswer(page)
  })

  test('afterwards it is one line, the files it made, and the answer', async () => {
    const folded = line(/Looked at 5 things · .* · 1 failed/)
    expect(await folded.getAttribute('aria-expanded')).toBe('false')
    expect(await answer().getByRole('grid').count()).toBe(0)
    await answer().getByText('ports.txt').first().waitFor()
    const [head, said] = [(await folded.boundingBox())!, (await answer().getByText('There is room').boundingBox())!]
    expect(said.y - head.y).toBeLessThan(140)
    await visitor.expectAccessible()
    await pictures(page, 'work-folded')
  })

  test('opened, each call has its arguments, table and result; from the keyboard alone', async () => {
    const folded = line(/Looked at 5 things/)
    await folded.focus()
    await page.keyboard.press('Enter')
    expect(await folded.getAttribute('aria-expanded')).toBe('true')
    const disks = answer().getByRole('listitem').filter({ hasText: 'disks' }).first()
    await disks.getByRole('button', { name: /List things/ }).focus()
    await page.keyboard.press('Enter')
    await disks.getByText('works.list').waitFor()
    await disks.getByRole('grid', { name: 'disks' }).waitFor()
    await disks.getByText('Result', { exact: true }).click()
    await disks.getByText('12 of disks.').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'work-details')
  })

  test('a table that is pinned stays open, as wide as it needs, after a reload too', async () => {
    const wide = answer().getByRole('listitem').filter({ hasText: 'wide' }).first()
    await wide.getByRole('button', { name: /List things/ }).click()
    await wide.getByRole('button', { name: 'Keep the table open' }).click()
    const grid = answer().getByRole('grid', { name: 'wide' })
    await grid.waitFor()
    await page.reload()
    await grid.waitFor()
    await lastAnswer(page)
    await page.setViewportSize({ width: 1600, height: 900 })
    const said = (await answer().getByText('The fullest disk').boundingBox())!
    expect(said.width).toBeLessThan(730)
    expect((await grid.boundingBox())!.width).toBeGreaterThan(said.width + 100)
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280)
    await visitor.expectAccessible()
    await pictures(page, 'work-pinned')
    await line(/Looked at 5 things/).click()
    await wide.getByRole('button', { name: /List things/ }).click()
    await answer().getByRole('button', { name: 'Fold the table away' }).click()
    await wide.getByRole('button', { name: /List things/ }).click()
    await expect.poll(() => grid.count()).toBe(0)
  })

  test('300 calls are one line, and a hundred rows at a time', async () => {
    await page.goto('/chat?new=true')
    await say(page, 'As many as there are')
    await lastAnswer(page)
    await line(/Looked at 300 things/).click()
    await expect.poll(async () => (await rows()).length).toBe(100)
    await answer().getByRole('button', { name: 'Show 100 more' }).click()
    await expect.poll(async () => (await rows()).length).toBe(200)
    await visitor.expectAccessible()
  })

  test('a call typed by hand shows its table at once, also where an engine answers', async () => {
    const client = await app.as('admin')
    await client.call(contract.chat.reset, { body: {} })
    await page.goto('/chat?new=true')
    await say(page, '/works.list of=disks')
    await lastAnswer(page)
    await answer().getByRole('grid', { name: 'disks' }).waitFor()
    expect(await answer().getByRole('grid').count()).toBe(1)
    await visitor.expectAccessible()
  })
})
