import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser, screenshot } from '../stage/browser.ts'
import { startScriptedModel, type ScriptedModel, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { lastAnswer, messageBox, openVisitor, say } from './visitor.ts'

/** The engine fails at the first request with each of these words, and answers the next. */
const FAILURES: Record<string, ScriptedStep[]> = {
  key: [{ status: 401, body: { error: { message: 'Incorrect API key provided: sk-pro***1234' } } }],
  rate: [
    { status: 429, headers: { 'retry-after': '600' }, body: { error: { message: 'Too many tokens per minute' } } },
  ],
  wait: [{ status: 503, headers: { 'retry-after': '59' }, body: { error: { message: 'Loading model' } } }],
  cut: [{ text: 'The disk is' }, { cut: true }],
}

describe.each([
  ['light and wide', { dark: false, phone: false }],
  ['dark and 360 px wide', { dark: true, phone: true }],
])('an answer that failed, %s', (_look, look) => {
  const suffix = look.phone ? 'phone-dark' : 'wide'
  const asked = new Set<string>()
  let app: TestApp
  let model: ScriptedModel
  let browser: Browser
  beforeAll(async () => {
    model = await startScriptedModel((request) => {
      const text = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
      const word = Object.keys(FAILURES).find((one) => text.includes(one))
      if (word === undefined || asked.has(word)) return [{ text: 'The disk is 40 % full.' }]
      asked.add(word)
      return FAILURES[word]!
    })
    app = await startTestApp({ model })
    await app.as('admin')
    await app.as('ann')
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await model.close()
  })

  test('says its cause, what to do, and what the provider said', async () => {
    await using visitor = await openVisitor(browser, app.url, look)
    const { page } = visitor
    await visitor.signIn('admin')
    await page.goto('/chat')
    await say(page, 'A wrong key, please')
    const answer = await lastAnswer(page)
    await answer.getByText('The provider refused the key').waitFor()
    await answer.getByText('An administrator must enter a valid key for this engine.').waitFor()
    await answer.getByText('Details').click()
    expect(await answer.getByRole('blockquote').innerText()).toBe('Incorrect API key provided: ***')
    await visitor.expectAccessible()
    await screenshot(page, `failure-key-${suffix}`)
    expect(await answer.getByRole('link', { name: 'Open AI engines' }).getAttribute('href')).toBe('/admin/ai')
    if (!look.phone)
      await page
        .getByRole('link', { name: /A wrong key/ })
        .getByText('Failed: The provider refused the key')
        .waitFor()
    await answer.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The disk is 40 % full.').waitFor()
    if (!look.phone) await page.getByText(/^Failed:/).waitFor({ state: 'detached' })
  })

  test('counts down to when the provider may be asked again', async () => {
    await using visitor = await openVisitor(browser, app.url, look)
    const { page } = visitor
    await visitor.signIn('ann')
    await page.goto('/chat')
    await say(page, 'At a rate, please')
    const answer = await lastAnswer(page)
    await answer.getByText('The provider asks to wait 10 min').waitFor()
    const button = answer.getByRole('button', { name: /Try again in \d+ min/ })
    expect(await button.isDisabled()).toBe(true)
    expect(await answer.getByRole('link', { name: 'Open AI engines' }).count()).toBe(0)
    await visitor.expectAccessible()
    await screenshot(page, `failure-rate-${suffix}`)
    await page.clock.install()
    await page.clock.fastForward(601_000)
    await answer.getByRole('button', { name: 'Try again', exact: true }).click()
    await page.getByText('The disk is 40 % full.').waitFor()
  })

  test('counts down while the run waits, until the answer comes or the person stops it', async () => {
    await using visitor = await openVisitor(browser, app.url, look)
    const { page } = visitor
    await visitor.signIn('ann')
    await page.goto('/chat')
    await say(page, 'Then wait, please')
    const answer = page.getByRole('article', { name: 'Answer' }).last()
    const count = answer.getByText(/^The provider asks to wait \d+ sec$/)
    const seconds = async () => Number((await count.textContent())?.match(/\d+/)?.[0])
    const before = await seconds()
    expect(before).toBeLessThanOrEqual(60)
    await page.clock.install()
    await page.clock.fastForward(10_000)
    await expect.poll(seconds).toBeLessThanOrEqual(before - 10)
    await visitor.expectAccessible()
    await screenshot(page, `failure-wait-${suffix}`)
    await page.clock.fastForward(60_000)
    await answer.getByText('The engine asked to wait before it answered.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).first().click()
    await answer.getByText('Stopped.').waitFor()
    expect(await messageBox(page).isEditable()).toBe(true)
  })

  test('keeps what came before the engine was cut off', async () => {
    await using visitor = await openVisitor(browser, app.url, look)
    const { page } = visitor
    await visitor.signIn('ann')
    await page.goto('/chat')
    await say(page, 'Then cut it, please')
    const answer = await lastAnswer(page)
    await answer.getByText('The engine was cut off').waitFor()
    await answer.getByText('The disk is', { exact: true }).waitFor()
    await screenshot(page, `failure-cut-${suffix}`)
    expect(await messageBox(page).isEditable()).toBe(true)
  })
})
