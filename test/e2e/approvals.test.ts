import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../stage/browser.ts'
import { startProcess, type TestProcess } from '../stage/process.ts'
import { linesIn } from '../stage/run-ledger.ts'
import { startScriptedModel, type ScriptedModel, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const ARM_MS = 500

describe('approvals', () => {
  const opened = new AsyncDisposableStack()
  let model: ScriptedModel
  let service: TestProcess
  let browser: Browser
  let office: Visitor
  let home: Visitor

  const file = (name: string): string => join(service.dataFolder, name)
  const write = (name: string): ScriptedStep[] => [
    { text: 'That needs a command.' },
    { calls: [{ name: 'system.run_command', arguments: { command: `echo line >> ${file(name)}`, shell: true } }] },
  ]
  const scripts: Record<string, (() => ScriptedStep[])[]> = {
    // The command that is seen in the pictures.
    unplug: [
      () => [
        { text: 'I write everything that waits in memory to the disk. That is a command, so it needs your approval.' },
        { calls: [{ name: 'system.run_command', arguments: { command: 'sync', args: ['--file-system', '/'] } }] },
      ],
      () => [{ text: 'Everything is on the disk. It is safe to unplug the machine.' }],
    ],
    survive: [() => write('survived'), () => [{ text: 'Written once.' }]],
    refuse: [() => write('refused'), () => [{ text: 'Then I leave it.' }]],
  }
  const card = (page: Page): Locator => page.getByRole('article', { name: 'Run a command' })
  const button = (page: Page, name: string): Locator => card(page).getByRole('button', { name, exact: true })

  beforeAll(async () => {
    model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        const cue = Object.keys(scripts).find((word) => question.includes(word)) ?? ''
        return scripts[cue]?.shift()?.() ?? [{ text: 'Understood.' }]
      }),
    )
    service = opened.use(await startProcess({ model }))
    await service.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    office = opened.use(await openVisitor(browser, service.url))
    home = opened.use(await openVisitor(browser, service.url, { dark: true }))
    for (const visitor of [office, home]) {
      // Before the sign-in there is no session; while the server is down, nothing answers.
      visitor.expectMessage(/\/api\/auth\/session\b|net::ERR_|\/api\/chat\/activity\/stream/)
      await visitor.signIn('admin')
    }
    await office.page.goto('/chat?new=true')
  })
  afterAll(() => opened.disposeAsync())

  test('the card says what it is about, and arms after half a second', async () => {
    const { page } = office
    await messageBox(page).waitFor()
    // Times are taken in the page: a busy machine delays what the test sees, not what the page did.
    await page.evaluate(() => {
      const times: Record<string, number> = {}
      Object.assign(window, { times })
      new MutationObserver(() => {
        const approve = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Approve')
        if (approve === undefined) return
        if (approve.disabled) times['shown'] ??= performance.now()
        else times['armed'] ??= performance.now()
      }).observe(document, { subtree: true, childList: true, attributes: true })
    })
    await say(page, 'Make it safe to unplug this machine')
    await card(page).waitFor()
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
    const times = await page.evaluate(() => (window as unknown as { times: Record<string, number> }).times)
    expect(times['armed']! - times['shown']!).toBeGreaterThanOrEqual(ARM_MS - 20)
    for (const text of [
      'system.run_command',
      'sync --file-system /',
      'May delete or overwrite',
      'For admin',
      'Approval needed',
    ]) {
      await card(page).getByText(text, { exact: false }).first().waitFor()
    }
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByText('1 waiting for you')
      .first()
      .waitFor({ state: 'attached' })
    await office.expectAccessible()
    await pictures(page, 'approval')
  })

  test('Enter does not decide', async () => {
    const { page } = office
    await messageBox(page).press('Enter')
    await messageBox(page).fill('yes')
    await messageBox(page).press('Enter')
    await page.keyboard.press('Escape')
    await page.locator('body').press('Enter')
    const client = await service.as('admin')
    const pending = await client.fetch('/api/chat/approvals?status=pending')
    expect(((await pending.json()) as { items: unknown[] }).items).toHaveLength(1)
    // What was written waits for its turn.
    await page.getByRole('region', { name: 'Queued messages' }).getByText('yes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove queued message' }).click()
    await page.getByRole('region', { name: 'Queued messages' }).waitFor({ state: 'detached' })
    await home.page.goto('/')
    await home.page.getByText('Awaiting approval').first().waitFor()
    await home.expectAccessible()
    await pictures(home.page, 'dashboard-waiting')
    await home.page
      .getByRole('link', { name: /^Approvals/ })
      .first()
      .click()
    await card(home.page).waitFor()
    await expect.poll(() => button(home.page, 'Approve').isEnabled()).toBe(true)
    await pictures(home.page, 'approvals')
    await button(page, 'Approve').click()
    await (await lastAnswer(page)).getByText('It is safe to unplug the machine.').waitFor()
    await (await lastAnswer(page)).getByText('Approved').first().waitFor()
    await office.expectAccessible()
    await pictures(page, 'approval-record')
  })

  test('a card outlives the process, and is approved in another browser; the first one goes on by itself', async () => {
    await office.page.goto('/chat?new=true')
    await say(office.page, 'Please survive this')
    await card(office.page).waitFor()
    await service.kill()
    await service.restart()
    expect(linesIn(file('survived'))).toBe(0)

    const { page } = home
    await page.goto('/approvals')
    await card(page).waitFor()
    await home.expectAccessible()
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
    const loads = office.paths.filter((path) => path.startsWith('/chat')).length
    await button(page, 'Approve').click()
    await page.getByText('Nothing is waiting for you').or(page.getByText('Approved')).first().waitFor()

    const answer = office.page.getByRole('article', { name: 'Answer' }).last()
    await answer.getByText('Written once.').waitFor()
    expect(office.paths.filter((path) => path.startsWith('/chat'))).toHaveLength(loads)
    expect(linesIn(file('survived'))).toBe(1)
    await office.expectAccessible()
    await home.expectAccessible()
  })

  test('a denial tells the engine its reason, and nothing runs', async () => {
    const { page } = office
    await page.goto('/chat?new=true')
    await say(page, 'Please refuse this')
    await card(page).waitFor()
    await expect.poll(() => button(page, 'Deny…').isEnabled()).toBe(true)
    await button(page, 'Deny…').click()
    await card(page).getByRole('textbox', { name: 'Reason (optional)' }).fill('Not on a Friday.')
    await office.expectAccessible()
    await button(page, 'Deny').click()
    const answer = await lastAnswer(page)
    await answer.getByText('Then I leave it.').waitFor()
    await answer.getByText('Denied').first().waitFor()
    expect(JSON.stringify(model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool'))).toContain(
      'Not on a Friday.',
    )
    expect(linesIn(file('refused'))).toBe(0)
    await office.expectAccessible()
  })
})
