import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { callThrough, connectMcp } from '../stage/gateway/mcp-client.ts'
import { pictures } from './pictures.ts'
import { openVisitor, PHONE, type Visitor } from './visitor.ts'

describe('an MCP client is connected', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp({ gatewayHold: 300 }))
    await app.as('ann')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    ;({ page } = visitor)
    visitor.expectMessage(/\/api\/auth\/session\b/)
  })
  afterAll(() => opened.disposeAsync())

  const fits = (): Promise<boolean> =>
    page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

  test('with a token and lines from the account; its card is decided in the browser', async () => {
    await visitor.signIn('ann')
    await page.goto('/account?tab=tokens')
    await page.getByRole('button', { name: 'Connect a client' }).first().click()
    const making = page.getByRole('dialog', { name: 'Connect a client' })
    await making.getByRole('textbox', { name: 'Name' }).fill('Codex')
    const lives = await making.getByLabel('Expires').locator('option').allTextContents()
    expect(lives).toContain('In 90 days')
    expect(lives).not.toContain('Never expires')
    const make = making.getByRole('button', { name: 'Create token' })
    expect(await make.isDisabled()).toBe(true)
    await making.getByRole('checkbox', { name: 'Tools of system' }).check()
    await visitor.expectAccessible()
    await pictures(page, 'gateway-token')
    await make.click()
    const made = page.getByRole('dialog', { name: 'Your new access token' })
    const token = (await made.getByText(/^rvt_/).textContent()) ?? ''
    const lines = made.locator('pre').last()
    for (const [client, expected] of [
      [
        'Claude Code',
        `claude mcp add --transport http reeve ${app.url}/mcp --header 'Authorization: Bearer \${REEVE_TOKEN}'`,
      ],
      ['Codex', `url = "${app.url}/mcp"`],
      ['VS Code', `"url": "${app.url}/mcp"`],
      ['Cursor', `"url": "${app.url}/mcp"`],
    ] as const) {
      await made.getByLabel('Client').selectOption(client)
      await expect.poll(() => lines.textContent()).toContain(expected)
    }
    await visitor.expectAccessible()
    await pictures(page, 'gateway-connect')
    await page.setViewportSize(PHONE)
    expect(await fits()).toBe(true)
    await page.setViewportSize({ width: 1280, height: 800 })
    await made.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Codex' }).getByText('MCP clients, at the gateway').waitFor()
    await pictures(page, 'gateway-tokens')

    await using client = await connectMcp(app.url, token, '2026-07-28')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('system__run_command')
    const args = { command: 'echo', args: ['from afar'], shell: false }
    const waiting = await callThrough(client, 'system__run_command', args)
    expect(waiting.status).toBe('waiting_approval')
    await page.goto(waiting.open!)
    await page.getByText('This is a call of the MCP client Codex', { exact: false }).first().waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'gateway-card')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor({ state: 'hidden' })
    const result = await callThrough(client, 'reeve_result', { call: waiting.call })
    expect(result.text).toContain('from afar')
    visitor.assertClean()
  })
})
