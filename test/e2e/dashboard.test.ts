import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { say } from '../stage/chat-stage.ts'
import { startScriptedModel, type ScriptedModel } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { openVisitor } from './visitor.ts'

describe('the dashboard', () => {
  let app: TestApp
  let model: ScriptedModel
  let browser: Browser
  beforeAll(async () => {
    model = await startScriptedModel(() => [
      { text: 'Fine.' },
      { usage: { prompt_tokens: 900, completion_tokens: 60 } },
    ])
    app = await startTestApp({ model, env: { REEVE_AI_PRICE_INPUT: '2', REEVE_AI_PRICE_OUTPUT: '8' } })
    for (const name of ['admin', 'ann']) await say(await app.as(name), `Hello from ${name}`)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await model.close()
  })

  test('shows an administrator how things stand, with the way to each fix', async () => {
    await using visitor = await openVisitor(browser, app.url)
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    const { page } = visitor
    await page
      .getByRole('region', { name: 'Storage' })
      .getByText(/ free$/)
      .waitFor()
    await page.getByRole('img', { name: 'Tokens per day, last 30 days' }).waitFor()
    await page.getByText('1,920', { exact: true }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'dashboard')
    await page.getByRole('button', { name: 'Cost' }).click()
    await page.getByRole('img', { name: 'Cost per day, last 30 days' }).waitFor()
    await page
      .getByRole('region', { name: 'Modules' })
      .getByText(/running$/)
      .waitFor()
    await page.getByRole('link', { name: 'All active runs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Active runs' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/admin/runs')
  })

  test('shows everybody else their own use, and nothing of the house', async () => {
    await using visitor = await openVisitor(browser, app.url, { phone: true })
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('ann')
    const { page } = visitor
    await page.getByText('960', { exact: true }).waitFor()
    for (const name of ['Storage', 'Needs attention', 'Modules'])
      expect([name, await page.getByRole('region', { name }).count()]).toEqual([name, 0])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await visitor.expectAccessible()
  })
})
