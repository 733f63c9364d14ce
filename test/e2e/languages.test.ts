import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { ROOT } from '../stage/sources/source-graph.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

type Words = Readonly<Record<string, string>>
const MODULES = ['files', 'http', 'sql', 'system', 'tables']
const json = (path: string): Words => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Words

/** One with another script, and one whose words are long. */
describe.each(['ru', 'de'] as const)('built-in modules in %s', (language) => {
  const opened = new AsyncDisposableStack()
  const words = new Map(MODULES.map((module) => [module, json(`builtin/${module}/locales/${language}.json`)]))
  const texts = json(`web/locales/${language}.json`)
  const system = words.get('system')!
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  let asked: string

  /** The English sentences of built-in modules that the page shows. Single words may be anybody's. */
  const englishIn = async (shown: Page): Promise<string[]> => {
    const text = await shown.locator('body').innerText()
    return MODULES.flatMap((module) => Object.entries(words.get(module)!))
      .filter(([own, word]) => own.includes(' ') && own !== word && !own.includes('{') && text.includes(own))
      .map(([own]) => own)
  }
  const box = () => {
    const name = { name: texts['chat.message']!, exact: true }
    return page.getByRole('textbox', name).or(page.getByRole('combobox', name))
  }

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    const admin = await app.as('admin')
    await admin.call(contract.accounts.updatePreferences, { body: { language } })
    // Only a running module's tools give a conversation their names.
    await admin.call(contract.chat.listTools)
    await admin.call(contract.chat.send, { body: { message: '/system.disks', conversation_id: null } })
    const message = '/system.run_command {"command": "uptime"}'
    asked = (await admin.call(contract.chat.send, { body: { message, conversation_id: null } })).body.conversation_id
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  test('a new conversation, the list of tools, and the form of one', async () => {
    await page.goto('/chat?new=true')
    await page.getByRole('button', { name: system['Host overview']! }).waitFor()
    await page.getByRole('link', { name: system['Disks']! }).first().waitFor()
    expect(await englishIn(page)).toEqual([])
    await box().fill('/processes')
    const option = page.getByRole('option', { name: system['Processes']! })
    await option.waitFor()
    expect(await englishIn(page)).toEqual([])
    await box().press('Enter')
    const form = page.getByRole('group').filter({ has: page.locator('[data-argument]') })
    await form.getByLabel(system['filter']!).waitFor()
    const sort = form.locator('[data-argument=sort]')
    expect(await sort.locator('option').allTextContents()).toContain(`${system['sort=memory']!} (memory)`)
    expect(await englishIn(page)).toEqual([])
    await expectFits(visitor)
    await pictures(page, `tool-form-${language}`)
  })

  test('a conversation with a card, its title, and the approvals', async () => {
    await page.goto(`/chat?c=${asked}`)
    const card = page.getByRole('button', { name: texts['approval.approve']!, exact: true })
    await card.waitFor()
    await page.getByRole('main').getByText(system['Run a command']!).last().waitFor()
    expect(await englishIn(page)).toEqual([])
    await pictures(page, `card-${language}`)
    await page.goto('/approvals')
    await card.waitFor()
    expect(await englishIn(page)).toEqual([])
    await expectFits(visitor)
  })

  test('modules, their pages and settings, and the rules of roles', async () => {
    await page.goto('/modules')
    await page.getByText(words.get('sql')!['SQL databases']!).first().waitFor()
    expect(await englishIn(page)).toEqual([])
    await pictures(page, `modules-${language}`)
    await page.goto('/modules/system?tab=tools')
    const tool = page.locator('details').filter({ hasText: 'signal_process' })
    await tool.locator('summary').click()
    await tool.getByText(/TERM/).first().waitFor()
    expect(await englishIn(page)).toEqual([])
    await page.goto('/modules/http?tab=settings')
    await page.getByText(words.get('http')!['Allowed hosts']!).first().waitFor()
    expect(await englishIn(page)).toEqual([])
    await page.goto('/admin/roles')
    await page.getByText(words.get('tables')!['Tables']!).first().waitFor()
    expect(await englishIn(page)).toEqual([])
  })
})
