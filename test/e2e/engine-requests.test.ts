import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser, screenshot } from '../stage/browser.ts'
import { openStage, type Stage } from '../stage/chat-stage.ts'
import { hostTool } from '../stage/modules/grants-module.ts'
import { databases } from '../stage/servers/postgres.ts'
import { openVisitor, say, type Visitor } from './visitor.ts'

const LIMITS = { context_tokens: 32_000, price: null, timeout_ms: 60_000, idle_timeout_ms: 60_000 }
const engine = (name: string) => {
  const base_url = `http://127.0.0.1:9/${name}`
  return { provider: 'openai-compatible' as const, name, base_url, model: name, api_key: null, ...LIMITS }
}

describe('settings of requests, what stands in for an engine, and a call that was mended', () => {
  let stage: Stage
  let browser: Browser
  let visitor: Visitor
  let page: Page
  beforeAll(async () => {
    stage = await openStage(databases[0]!, { builtins: [hostTool] })
    const admin = await stage.as('admin')
    for (const name of ['First', 'Second']) await admin.call(contract.engines.addEngine, { body: engine(name) })
    browser = await openBrowser()
    visitor = await openVisitor(browser, stage.url)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(async () => {
    await visitor[Symbol.asyncDispose]()
    await browser.close()
    await stage[Symbol.asyncDispose]()
  })

  async function look(name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await screenshot(page, `${name}-${colorScheme}`)
    }
    await page.setViewportSize({ width: 360, height: 760 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await screenshot(page, `${name}-phone`)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
  }

  test('the form says what is wrong, saves what is typed, and shows it again', async () => {
    await page.goto('/admin/ai')
    await page.getByRole('button', { name: 'Edit First' }).click()
    await page.getByLabel('Stands in for it').selectOption({ label: 'Second' })
    await page.getByText('Requests: headers, output, effort').click()
    await page.getByLabel('Additional headers').fill('no colon')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter a name, a colon and a value on each line.').waitFor()
    await page.getByLabel('Additional headers').fill('api-key: {key}')
    await page.getByLabel('Query parameters').fill('api-version=2024-10-21')
    await page.getByLabel('Longest answer, in tokens').fill('900')
    await page.getByLabel('Effort of thinking').selectOption({ label: 'Low' })
    await page.getByLabel('Ask for the tokens used').uncheck()
    await page.getByLabel('This is Ollama: set its context').check()
    await page.getByLabel('Ask for the tokens used').waitFor({ state: 'detached' })
    await page.getByLabel('Longest answer, in tokens').scrollIntoViewIfNeeded()
    await visitor.expectAccessible()
    await look('engine-requests')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The engine was saved.').waitFor()
    const { items } = await (await stage.as('admin')).call(contract.engines.listEngines)
    const second = items.find(({ name }) => name === 'Second')!
    expect(items.find(({ name }) => name === 'First')).toMatchObject({
      fallback_id: second.engine_id,
      request: {
        headers: [{ name: 'api-key', value: '{key}' }],
        query: [{ name: 'api-version', value: '2024-10-21' }],
        max_output_tokens: 900,
        effort: 'low',
        count_tokens: false,
        ollama: true,
      },
    })
    await page.getByRole('button', { name: 'Edit First' }).click()
    await page.getByText('Requests: headers, output, effort').click()
    expect(await page.getByLabel('Additional headers').inputValue()).toBe('api-key: {key}')
  })

  test('the card of a call that was mended says so', async () => {
    const text = '{"url":"http://a.test/","depth":"3",}'
    stage.play('amber', [[{ calls: [{ name: 'hosts.put', arguments: text }] }], [{ text: 'Done.' }]])
    await page.goto('/chat?new=true')
    await say(page, 'amber')
    await page
      .getByText('Mended before it was checked: the arguments were not valid JSON, values had the wrong type.')
      .waitFor()
    await visitor.expectAccessible()
    await look('call-mended')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Done.', { exact: true }).waitFor()
    const { items } = await (
      await stage.as('admin')
    ).call(contract.accounts.audit, { query: { action: 'tool.called' } })
    expect(items[0]).toMatchObject({ details: { repaired: ['json', 'values'] } })
  })
})
