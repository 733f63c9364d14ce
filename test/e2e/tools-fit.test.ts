import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { openStage, type Stage } from '../stage/chat-stage.ts'
import { attackBundle, runAttack } from '../stage/modules/attack-module.ts'
import { install } from '../stage/modules/module-bundles.ts'
import { wideModule } from '../stage/modules/wide-module.ts'
import { databases } from '../stage/servers/postgres.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

describe('more tools than an engine reads', () => {
  let stage: Stage
  let browser: Browser
  let visitor: Visitor
  let page: Page
  beforeAll(async () => {
    stage = await openStage(databases[0]!, { context: 8192, builtins: [wideModule(300)] })
    await stage.member('ann', [{ subject: 'tool:wide.*', effect: 'allow' }])
    browser = await openBrowser()
    visitor = await openVisitor(browser, stage.url)
    await visitor.signIn('ann')
    page = visitor.page
  })
  afterAll(async () => {
    await visitor[Symbol.asyncDispose]()
    await browser.close()
    await stage[Symbol.asyncDispose]()
  })
  const tools = () => page.getByRole('button', { name: /^Tools: / })
  const module = (name: string | RegExp) => page.getByRole('menuitemcheckbox', { name })

  test('that the engine looked for tools is a line, which opens nothing', async () => {
    stage.play('harbour', [
      [{ calls: [{ name: 'find_tools', arguments: { words: 'lighthouse' } }] }],
      [{ calls: [{ name: 'wide.look_33', arguments: {} }] }],
      [{ calls: [{ name: 'find_tools', arguments: { words: 'buoys' } }] }],
      [{ text: 'It was lit at dusk.' }],
    ])
    await page.goto('/chat?new=true')
    await say(page, 'What of the harbour?')
    const answer = await lastAnswer(page)
    await answer.getByText('It was lit at dusk.').waitFor()
    await answer.getByRole('button', { name: /Looked at 1 thing/ }).click()
    await answer.getByText('Looked for tools: lighthouse').waitFor()
    expect(await answer.getByRole('button', { name: /Looked for tools:/ }).count()).toBe(0)
    await visitor.expectAccessible()
    await pictures(page, 'tools-searched')
  })

  test('which modules a new conversation may use is chosen before its first message, by keys as well', async () => {
    const requests = stage.play('rowing', [[{ text: 'Without tools, then.' }], [{ text: 'With them.' }]])
    await page.goto('/chat?new=true')
    await tools().focus()
    await page.keyboard.press('Enter')
    await module('All modules').waitFor()
    expect(await module('All modules').isChecked()).toBe(true)
    await page.getByText(/looks for the others itself/).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'tools-picker')
    await module(/^Wide/).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => module(/^Wide/).isChecked()).toBe(false)
    await page.keyboard.press('Escape')
    await say(page, 'Go rowing')
    await (await lastAnswer(page)).getByText('Without tools, then.').waitFor()
    expect(requests[0]!.tools.filter(({ name }) => name.startsWith('wide'))).toEqual([])

    // It is kept with the conversation, and changed there.
    await page.reload()
    await expect.poll(() => tools().getAttribute('aria-label')).toMatch(/of \d+ modules/)
    await tools().click()
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await module('All modules').click()
    await saved
    await page.keyboard.press('Escape')
    await messageBox(page).waitFor()
    await say(page, 'Go rowing again')
    await (await lastAnswer(page)).getByText('With them.').waitFor()
    expect(requests[1]!.tools.some(({ name }) => name.startsWith('wide'))).toBe(true)
  })

  test('the pages of modules and engines say what definitions take and what there is room for', async () => {
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.chat.listTools)
    expect(items.every(({ tokens }) => tokens > 10)).toBe(true)
    await visitor.signIn('admin')
    await page.goto('/modules/wide?tab=tools')
    await page.getByText(/definitions take about [\d,]+ tokens/).waitFor()
    await page.goto('/admin/ai')
    await page.getByText(/Tools up to 2,048 tokens/).waitFor()
    await pictures(page, 'tools-budget')
  })

  test('what a module tells engines is shown on its page, and agreed to there once it has changed', async () => {
    const admin = await stage.as('admin')
    const guide = (version: string, INSTRUCTIONS: string) => ({
      name: 'guide',
      version,
      tools: [{ name: 'say' }],
      env: { INSTRUCTIONS },
    })
    await runAttack(admin, guide('1.0.0', 'Ask for the harbour first.'))
    await install(admin, await attackBundle(guide('2.0.0', 'Ask for the quay first.')))
    await admin.call(contract.modules.enable, { params: { module_name: 'guide' }, body: {} })
    await page.goto('/modules/guide?tab=tools')
    await page.getByText('Ask for the quay first.').waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'tools-words')
    await page.getByRole('button', { name: 'Agree Instructions' }).click()
    await page.getByText('Agreed to the instructions.').first().waitFor()
    await page.getByText('not passed on until you agree').waitFor({ state: 'detached' })
    expect(await page.getByText('Ask for the quay first.').isVisible()).toBe(true)
  })
})
