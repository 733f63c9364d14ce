import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { gate, startScriptedModel, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { chooseAction, lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const CODE = 'free --human\ngrep -E "^(MemTotal|MemAvailable)" /proc/meminfo'
const halfway = gate()

/** What a text that the model has read from somewhere could make it say. */
const hostile = (elsewhere: string): string =>
  [
    `<img src=${elsewhere}/tag onerror="window.harmed = 1">`,
    `<script>window.harmed = 2</script><script src="${elsewhere}/script"></script>`,
    '<svg onload="window.harmed = 3"><circle r="9"/></svg>',
    `<iframe src="${elsewhere}/frame"></iframe><link rel=stylesheet href=${elsewhere}/style>`,
    `<a href="javascript:window.harmed=4" onclick="window.harmed=5">raw link</a>`,
    '[click me](javascript:window.harmed=6) and [me](data:text/html,<script>window.harmed=7</script>)',
    `![a picture](${elsewhere}/markdown?secret=42)`,
    `[honest link](${elsewhere}/page)`,
    'The end of the hostile answer.',
  ].join('\n\n')

describe('answers of an engine', () => {
  const opened = new AsyncDisposableStack()
  const reached: string[] = []
  let elsewhere: Server
  let app: TestApp
  let browser: Browser
  let visitor: Visitor

  beforeAll(async () => {
    elsewhere = createServer((request, response) => {
      reached.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
    opened.defer(() => new Promise<void>((done) => elsewhere.close(() => done())))
    const foreign = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
    const scripts: Record<string, ScriptedStep[][]> = {
      memory: [
        [
          { reasoning: 'The question is about memory. I look it up instead of guessing.' },
          { text: 'Let me look. ', each: 'word' },
          { calls: [{ name: 'system.memory', arguments: {} }] },
        ],
        [
          {
            text: '## What it means\n\nThere is **enough** of it:\n\n- Caches count as available.\n- Nothing has to be swapped out.\n\nThe same in a shell:\n\n',
            each: 'word',
          },
          { text: `\`\`\`sh\n${CODE}\n\`\`\`\n\nThe figures of this moment are in the table of the call.` },
        ],
      ],
      story: [
        [
          { text: 'Once upon a time ', each: 'word' },
          { wait: halfway },
          { text: 'there was a harbour.', each: 'word' },
        ],
      ],
      hostile: [[{ text: hostile(foreign), each: 'word' }]],
    }
    const model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        const cue = Object.keys(scripts).find((word) => question.includes(word)) ?? ''
        return scripts[cue]?.shift() ?? [{ text: 'Understood.' }]
      }),
    )
    app = opened.use(await startTestApp({ model }))
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    await visitor.page.goto('/chat')
  })
  afterAll(() => opened.disposeAsync())

  test('plain words: thought, a tool, its table, and an answer in markdown', async () => {
    const { page } = visitor
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor()
    await visitor.expectAccessible()
    await say(page, 'How much memory is free?')
    const answer = await lastAnswer(page)
    await answer.getByRole('heading', { name: 'What it means' }).waitFor()
    expect(await answer.getByRole('listitem').allInnerTexts()).toEqual([
      'Caches count as available.',
      'Nothing has to be swapped out.',
    ])
    expect(await answer.locator('strong').innerText()).toBe('enough')
    await visitor.expectAccessible()
    await pictures(page, 'answer')

    await answer.getByText(/^Thought/).click()
    await answer.getByText('I look it up instead of guessing.').waitFor()
    const card = answer.getByRole('button', { name: /Done Memory/ })
    expect(await card.getAttribute('aria-expanded')).toBe('false')
    await card.click()
    await answer.getByText('system.memory').waitFor()
    await answer.getByText('No arguments').waitFor()
    await answer.getByRole('grid', { name: 'Memory' }).waitFor()
    await visitor.expectAccessible()
  })

  test('code has its language and is copied as it is', async () => {
    const { page } = visitor
    const answer = await lastAnswer(page)
    await answer.getByRole('button', { name: 'Copy code' }).last().click()
    await answer.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(CODE)
  })

  test('what the model saw is one click away', async () => {
    const { page } = visitor
    const answer = await lastAnswer(page)
    await chooseAction(answer, 'What the model saw')
    const dialog = page.getByRole('dialog', { name: 'What the model saw' })
    await dialog.getByText('scripted').waitFor()
    await visitor.expectAccessible()
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.count()).toBe(0)
  })

  test('what else can be done with it is reached by keys, which come back to where they were', async () => {
    const { page } = visitor
    const more = (await lastAnswer(page)).getByRole('button', { name: 'More actions' })
    const first = page.getByRole('menuitem', { name: 'Copy as text' })
    const expectFocus = async (target: Locator): Promise<void> =>
      await expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true)
    const dialog = page.getByRole('dialog', { name: 'What the model saw' })
    await more.focus()
    // The dialog is loaded by now, so it opens while the menu is still there.
    for (const key of ['Enter', 'ArrowDown']) {
      await page.keyboard.press(key)
      await expectFocus(first)
      await page.keyboard.press('End')
      await expectFocus(page.getByRole('menuitem', { name: 'What the model saw' }))
      await page.keyboard.press('Enter')
      await dialog.getByText('scripted').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await expectFocus(more)
    }
    await page.keyboard.press('Enter')
    await expectFocus(first)
    await pictures(page, 'answer-menu')
    await page.keyboard.press('Escape')
    await expectFocus(more)
  })

  test('a reload in the middle of an answer shows the same text, then the rest', async () => {
    const { page } = visitor
    await say(page, 'Tell me a story')
    await halfway.reached
    const answer = page.getByRole('article', { name: 'Answer' }).last()
    await answer.getByText('Once upon a time').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await visitor.expectAccessible()
    const before = await answer.innerText()
    await page.reload()
    await answer.getByText('Once upon a time').waitFor()
    expect(await answer.innerText()).toBe(before)
    halfway.open()
    await answer.getByText('Once upon a time there was a harbour.', { exact: true }).waitFor()
    await lastAnswer(page)
    await page.reload()
    await answer.getByText('Once upon a time there was a harbour.', { exact: true }).waitFor()
    await visitor.expectAccessible()
  })

  test('a hostile answer is text: nothing runs, and nobody else is asked for anything', async () => {
    const { page } = visitor
    await say(page, 'Something hostile')
    const answer = await lastAnswer(page)
    await answer.getByText('The end of the hostile answer.').waitFor()
    await answer.getByText('Image not loaded: a picture').waitFor()
    expect(await answer.locator('img, script, iframe, link, svg[onload], [onclick], [onerror]').count()).toBe(0)
    const links = await answer.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links.filter((href) => !/^https?:/.test(href ?? ''))).toEqual([])
    expect(links).toHaveLength(1)
    await answer.getByText('click me').click()
    await answer.getByText('raw link').click()
    await visitor.expectAccessible()
    expect(await page.evaluate(() => (window as { harmed?: number }).harmed)).toBeUndefined()
    expect(page.url()).toMatch(/\/chat\?c=cnv_/)
    expect(await messageBox(page).count()).toBe(1)
    expect(reached).toEqual([])
  })
})
