import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { openHttpsPlace } from '../stage/gateway/https-place.ts'
import { callThrough } from '../stage/gateway/mcp-client.ts'
import { REDIRECT, signInClient } from '../stage/gateway/oauth-client.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

const LONG = 180_000

describe('an MCP client asks to be let in, over https', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let admin: Visitor
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    const place = opened.use(await openHttpsPlace())
    app = opened.use(await startTestApp({ gatewayHold: 300, env: place.env }))
    await app.as('admin')
    await app.as('ann')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    const open = async () => {
      const one = opened.use(await openVisitor(browser, app.url, { trusting: true }))
      one.expectMessage(/\/api\/auth\/session\b/)
      return one
    }
    admin = await open()
    visitor = await open()
    ;({ page } = visitor)
  }, LONG)
  afterAll(() => opened.disposeAsync())

  test('registered by an administrator, it is let in by a person, who ends it again', { timeout: LONG }, async () => {
    await admin.signIn('admin')
    await admin.page.goto('/admin/clients')
    await admin.page.getByText('No program is registered').waitFor()
    await expectFits(admin)
    await pictures(admin.page, 'oauth-clients-none')
    await admin.page.getByRole('button', { name: 'Register a program' }).click()
    const form = admin.page.getByRole('dialog', { name: 'Register a program' })
    await form.getByRole('textbox', { name: 'Name' }).fill('Codex')
    await form.getByRole('textbox', { name: 'Return addresses' }).fill(`${REDIRECT}\n`)
    await admin.expectAccessible()
    await pictures(admin.page, 'oauth-client-new')
    await form.getByRole('button', { name: 'Register a program' }).click()
    const client_id = (await admin.page.getByText(/^oac_/).textContent()) ?? ''
    await admin.page
      .getByRole('textbox', { name: 'Hosts whose programs describe themselves' })
      .fill('claude.ai\nvscode.dev')
    await admin.page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => admin.page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await expectFits(admin)
    await pictures(admin.page, 'oauth-clients')

    visitor.expectForeign(new URL(REDIRECT).origin)
    // Nothing listens there in this story: the address is what the client would read.
    await visitor.context.route(`${REDIRECT}?**`, (route) => route.fulfill({ body: 'Back at the program.' }))
    const signed = await signInClient(app.url, client_id, async (address) => {
      // Without a session the person signs in first, and is back here then.
      await page.goto(address.href)
      await visitor.signIn('ann')
      await page.getByRole('heading', { name: 'Codex wants to use your tools' }).waitFor()
      const allow = page.getByRole('button', { name: 'Let it in' })
      expect(await allow.isDisabled()).toBe(true)
      await page.getByText('Registered by an administrator').waitFor()
      await page.getByText('127.0.0.1:33418').waitFor()
      await page.getByText('Agree only if you have just started Codex').waitFor()
      await page.getByRole('checkbox', { name: 'Tools of system' }).check()
      await expectFits(visitor)
      await pictures(page, 'oauth-consent')
      await allow.click()
      await page.waitForURL((url) => url.href.startsWith(REDIRECT))
      return page.url()
    })
    await using client = signed.client
    const args = { command: 'echo', args: ['from afar'], shell: false }
    const waiting = await callThrough(client, 'system__run_command', args)
    expect(waiting.status).toBe('waiting_approval')
    await page.goto(waiting.open!)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor({ state: 'hidden' })
    expect((await callThrough(client, 'reeve_result', { call: waiting.call })).text).toContain('from afar')

    await page.goto('/account?tab=tokens')
    // The message that it was revoked is an item of a list, too.
    const access = page.getByRole('listitem').filter({ hasText: 'Codex' }).filter({ hasText: 'Let in by you' })
    await access.waitFor()
    await expectFits(visitor)
    await pictures(page, 'oauth-access')
    await page.getByRole('button', { name: 'Connect a client' }).first().click()
    await page.getByText(`give it only the address ${app.url}/mcp`).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await access.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('alertdialog').or(page.getByRole('dialog')).getByRole('button', { name: 'Revoke' }).click()
    await access.waitFor({ state: 'hidden' })
    expect(await client.listTools().catch(() => 'out')).toBe('out')
    visitor.assertClean()
    admin.assertClean()
  })

  test('a program that nobody knows is told to nobody', async () => {
    visitor.expectMessage(/\/api\/oauth\/request/)
    await page.goto('/oauth/authorize?client_id=nobody&response_type=code&redirect_uri=https%3A%2F%2Fevil.example%2F')
    await page.getByText('This request cannot be answered').waitFor()
    await page.getByText('This program may not ask for access here', { exact: false }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/oauth/authorize')
    await expectFits(visitor)
    await pictures(page, 'oauth-refused')
  })
})
