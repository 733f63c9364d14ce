import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { startScriptedModel, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { chooseAction, lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const FORMULAS = String.raw`## Queueing

The time in the queue[^1] is \(W_q = \frac{\rho}{\mu - \lambda}\), and for $\rho \to 1$ it grows without bound:

$$
L = \sum_{n=0}^{\infty} n \cdot p_n = \frac{\rho}{1-\rho}
$$

A server for $5 serves more than one for $3, and \`$x$\` is code. Not a formula: \(\frac{1}{\). **Bold** words.

\`\`\`sh
journalctl --unit postgresql.service --since "2026-11-23 10:00" --until "2026-11-23 11:00" --output short-iso --no-pager
\`\`\`

[^1]: Without the time of service. See *Little's law*.`.replaceAll('\\`', '`')
const HOSTILE = String.raw`$$\href{javascript:window.harmed=1}{x} \includegraphics{https://evil.example/p.png} \htmlStyle{position:fixed}{y}$$

$$\rule{10000em}{10000em}$$

$$\def\a{\a\a}\a$$

The end.`

describe('reading an answer', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor

  beforeAll(async () => {
    const scripts: Record<string, ScriptedStep[]> = {
      queue: [{ reasoning: 'This is about queues.' }, { text: FORMULAS, each: 'word' }],
      hostile: [{ text: HOSTILE }],
    }
    const model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        return scripts[Object.keys(scripts).find((word) => question.includes(word)) ?? ''] ?? [{ text: 'Understood.' }]
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

  test('formulas are drawn, prices are prices, and a note is one click away', async () => {
    const { page } = visitor
    await say(page, '# How long is a **queue**?')
    const answer = await lastAnswer(page)
    await answer.locator('.katex').nth(2).waitFor()
    expect(await answer.locator('.katex').count()).toBe(3)
    await answer.getByText('A server for $5 serves more than one for $3').waitFor()
    await answer.getByText(String.raw`\(\frac{1}{\)`).waitFor()
    // The fonts are this service's own.
    expect(visitor.paths.some((path) => /KaTeX_Main-Regular.*\.woff2$/.test(path))).toBe(true)
    await visitor.expectAccessible()
    await pictures(page, 'formulas')
    const address = page.url()
    await answer.getByRole('link', { name: 'Footnote 1' }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('Without the time of service')
    expect(page.url()).toBe(address)
    expect(await page.title()).toContain('How long is a queue?')
  })

  test('long lines of code wrap when wanted', async () => {
    const answer = await lastAnswer(visitor.page)
    const code = answer.locator('pre')
    const wide = (): Promise<boolean> => code.evaluate((pre) => pre.scrollWidth > pre.clientWidth)
    expect(await wide()).toBe(true)
    await answer.getByRole('button', { name: 'Wrap lines' }).click()
    await expect.poll(wide).toBe(false)
    expect(await answer.getByRole('button', { name: 'Wrap lines' }).getAttribute('aria-pressed')).toBe('true')
  })

  test('it is copied as Markdown and as text', async () => {
    const { page } = visitor
    const answer = await lastAnswer(page)
    const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    await answer.getByRole('button', { name: 'Copy as Markdown' }).click()
    await expect.poll(copied).toBe(FORMULAS)
    await chooseAction(answer, 'Copy as text')
    await expect.poll(copied).toMatch(/^Queueing\n\nThe time in the queue\[1\] is /)
    expect(await copied()).toContain('Bold words.')
  })

  test('how long it thought stays after a reload', async () => {
    const { page } = visitor
    await page.reload()
    const answer = await lastAnswer(page)
    await answer.getByText(/^Thought/).waitFor()
    expect(await answer.getByText(/^Thought/).innerText()).toMatch(/^Thought for /)
  })

  test('what the model saw is there in order, and each part opens', async () => {
    const { page } = visitor
    await chooseAction(await lastAnswer(page), 'What the model saw')
    const dialog = page.getByRole('dialog', { name: 'What the model saw' })
    const parts = dialog.locator('details > summary')
    await parts.first().waitFor()
    const names = (await parts.allInnerTexts()).map((text) => text.split('\n')[0])
    expect(names[0]).toBe('System text')
    expect(names[1]).toMatch(/^\d+ tools$/)
    expect(names[2]).toBe('You')
    await parts.first().click()
    await dialog.getByText('You are the assistant of Reeve').first().waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'prompt-seen')
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.count()).toBe(0)
  })

  test('hostile formulas stay in their place', async () => {
    const { page } = visitor
    await say(page, 'Something hostile')
    const answer = await lastAnswer(page)
    await answer.getByText('The end.').waitFor()
    await answer.locator('.katex').first().waitFor()
    expect(await answer.locator('a, img, [style*=fixed]').count()).toBe(0)
    const heights = await answer
      .locator('.markdown-math')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    expect(Math.max(...heights)).toBeLessThan(600)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await visitor.expectAccessible()
  })

  test('a search shows words, not marks', async () => {
    const { page } = visitor
    await page.goto('/chat')
    await messageBox(page).waitFor()
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('Bold')
    await page.getByText(/Not a formula:.* Bold words\./).waitFor()
    expect(await page.getByText('**Bold**').count()).toBe(0)
  })
})
