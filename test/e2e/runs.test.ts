import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { say } from '../stage/chat-stage.ts'
import { startScriptedModel, type ScriptedModel } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { openVisitor, PHONE } from './visitor.ts'

describe('the history of runs', () => {
  let app: TestApp
  let model: ScriptedModel
  let browser: Browser
  beforeAll(async () => {
    model = await startScriptedModel(() => [
      { text: 'Fine.' },
      { usage: { prompt_tokens: 900, completion_tokens: 60 } },
    ])
    app = await startTestApp({ model, env: { REEVE_AI_PRICE_INPUT: '2', REEVE_AI_PRICE_OUTPUT: '8' } })
    for (const name of ['admin', 'ann']) {
      await say(await app.as(name), `A private matter of ${name}`)
      await say(await app.as(name), '/files.list')
    }
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await model.close()
  })

  test('tells everybody’s runs, is filtered, and leads to one’s own conversations alone', async () => {
    await using visitor = await openVisitor(browser, app.url)
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    const { page } = visitor
    await page.goto('/admin/runs')
    const rows = page.getByRole('list', { name: 'History' }).getByRole('listitem')
    await rows.filter({ hasText: 'A private matter of admin' }).waitFor()
    expect(await rows.count()).toBe(4)
    expect(await page.getByText('private matter of ann').count()).toBe(0)
    await rows.filter({ hasText: 'ann' }).filter({ hasText: 'files.list' }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'runs-history')
    await page.getByRole('combobox', { name: 'Person' }).selectOption('ann')
    await rows.filter({ hasText: 'A private matter of admin' }).waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Model' }).selectOption('scripted')
    await rows.filter({ hasText: 'files.list' }).waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Model' }).selectOption('Run directly')
    await page.waitForURL(/model=direct/)
    await rows.filter({ hasText: '960 tokens' }).waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'State' }).selectOption('Failed')
    await page.getByText('No run has ended that matches.').waitFor()
    await page.setViewportSize(PHONE)
    await page.goto('/admin/runs')
    await rows.first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await visitor.expectAccessible()
    await page.getByRole('link', { name: 'A private matter of admin' }).click()
    await page.waitForURL(/\/chat\?c=/)
  })
})
