import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { begin, command } from '../stage/chat-stage.ts'
import { gate, startScriptedModel, type ScriptedModel } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { inView, lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const KEY = 'sk-browser-secret-815'

describe('the engine, limits and live runs, seen by an administrator', () => {
  const hold = gate()
  let app: TestApp
  let model: ScriptedModel
  let browser: Browser
  let visitor: Visitor
  let page: Page
  beforeAll(async () => {
    model = await startScriptedModel((request) => {
      const asked = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
      if (request.body.model === 'chatty') return [{ text: 'I would rather talk.' }]
      if (request.tools.some(({ name }) => /report/.test(name)))
        return [{ calls: [{ name: 'test.report', arguments: { value: 'ready' } }] }]
      if (asked.includes('sleep')) return [{ calls: [command('exec sleep 60')] }]
      if (asked.includes('hold')) return [{ text: 'Wait. ' }, { wait: hold }]
      return [{ text: 'From the model.' }, { usage: { prompt_tokens: 1200, completion_tokens: 80 } }]
    })
    app = await startTestApp()
    await app.as('admin')
    browser = await openBrowser()
    visitor = await openVisitor(browser, app.url)
    visitor.expectMessage(/\/api\/auth\/session\b|\/api\/admin\/ai\b|\/api\/chat\b/)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(async () => {
    hold.open()
    await visitor[Symbol.asyncDispose]()
    await browser.close()
    await app[Symbol.asyncDispose]()
    await model.close()
  })
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })

  test('an empty chat leads to where an engine is set', async () => {
    await page.goto('/chat?new=true')
    await page.getByRole('link', { name: 'Set up an AI engine' }).click()
    await page.getByRole('heading', { level: 1, name: 'AI engines' }).waitFor()
    await page.getByText('No AI engine is set up').waitFor()
    expect(new URL(page.url()).pathname).toBe('/admin/ai')
    await visitor.expectAccessible()
  })

  test('a preset fills in what it knows; the test says what is wrong before anything is saved', async () => {
    await button('Anthropic').click()
    expect(await page.getByLabel('Address').inputValue()).toBe('')
    await button('Test').click()
    await page.getByText('Enter a model.').waitFor()
    await button('Ollama').click()
    expect(await page.getByLabel('Address').inputValue()).toBe('http://127.0.0.1:11434/v1')
    await page.getByLabel('Address').fill('http://127.0.0.1:9/v1')
    await page
      .getByRole('textbox', { name: 'Model', exact: true })
      .or(page.getByRole('combobox', { name: 'Model', exact: true }))
      .fill('any')
    await button('Test').click()
    await page.getByText('The engine cannot be reached').waitFor()
    await expect.poll(() => inView(page.getByText('The engine cannot be reached'))).toBe(true)
    await visitor.expectAccessible()
    await button('Save').click()
    const ask = page.getByRole('dialog', { name: 'Save an engine whose test failed?' })
    await ask.getByText('No engine answers at this address.').waitFor()
    await visitor.expectAccessible()
    await ask.getByRole('button', { name: 'Cancel' }).click()
  })

  test('lists models, tries one, saves it, and it answers at once', async () => {
    await page.getByLabel('Address').fill(model.url)
    await page.getByLabel('Key', { exact: true }).fill(KEY)
    await button('List models').click()
    await page.getByText('1 model found.').waitFor()
    await page
      .getByRole('combobox', { name: 'Model', exact: true })
      .or(page.getByRole('textbox', { name: 'Model', exact: true }))
      .fill('')
    await button('scripted').click()
    await button('Test').click()
    await page.getByText('The engine works').waitFor()
    await page.getByText('Limits, prices and timeouts').click()
    await page.getByLabel('Price per million input tokens').fill('2')
    await button('Save').click()
    await page.getByText('Enter both prices or neither.').waitFor()
    await page.getByLabel('Price per million output tokens').fill('10')
    await visitor.expectAccessible()
    await button('Save').click()
    await row('scripted').getByText('Default', { exact: true }).waitFor()
    await row('scripted')
      .getByText(/Everyone · Key configured/)
      .waitFor()
    await button('Edit scripted').click()
    await page.getByText(/^Configured on /).waitFor()
    expect(await page.content()).not.toContain(KEY)
    await visitor.expectAccessible()
    await button('Replace key').click()
    await page.getByLabel('Key', { exact: true }).and(page.locator(':focus')).waitFor()
    await page.getByText('If you leave it empty, the stored key is deleted.').waitFor()
    await visitor.expectAccessible()
    await button('Keep the stored key').click()
    await page.getByText(/^Configured on /).waitFor()
    await pictures(page, 'engine')
    await button('All engines').click()
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, 'Hello')
    await (await lastAnswer(page)).getByText('From the model.').waitFor()
  })

  test('another engine, for one role only, is added, chosen in a conversation, and shows how full it is', async () => {
    await page.goto('/admin/ai')
    await button('Add engine').click()
    await page.getByRole('heading', { name: 'New engine' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Workshop')
    await page.getByLabel('Address').fill(model.url)
    await page
      .getByRole('textbox', { name: 'Model', exact: true })
      .or(page.getByRole('combobox', { name: 'Model', exact: true }))
      .fill('chatty')
    for (const [index, name] of ['large', 'wrong', 'larger'].entries()) {
      await button('Add a line Further models').click()
      await page.getByRole('textbox', { name: `Further models, line ${index + 1}` }).fill(name)
    }
    await button('Remove line 2 of Further models').click()
    await page.getByRole('group', { name: 'Who may use it' }).getByRole('button', { name: 'admin' }).click()
    await page.getByLabel('Names columns and conversations').check()
    await visitor.expectAccessible()
    await pictures(page, 'engine-new')
    await button('Test').click()
    await page.getByText('The model does not support tools').waitFor()
    await button('Save').click()
    const ask = page.getByRole('dialog', { name: 'Save an engine that cannot use tools?' })
    await visitor.expectAccessible()
    await ask.getByRole('button', { name: 'Save anyway' }).click()
    await row('Workshop')
      .getByText(/Only admin/)
      .waitFor()
    const titles = page.getByLabel('Name conversations after their first exchange')
    expect(await titles.isChecked()).toBe(false)
    const saved = page.waitForResponse((response) => response.url().endsWith('/api/admin/ai/titles'))
    await titles.click()
    await saved
    await page.reload()
    await expect.poll(() => titles.isChecked()).toBe(true)
    await visitor.expectAccessible()
    await pictures(page, 'engines')

    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await button('Engine: scripted. Choose another').click()
    await page
      .getByRole('menuitemradio', { name: 'larger' })
      .or(page.getByRole('menuitemcheckbox', { name: 'larger' }))
      .click()
    await button('Engine: Workshop · larger. Choose another').waitFor()
    await page.reload()
    await button('Engine: Workshop · larger. Choose another').waitFor()
    await say(page, 'Hello')
    await (await lastAnswer(page)).getByText('From the model.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'I would rather talk', exact: true }).waitFor()
    await page.getByRole('img', { name: 'The context is 4% full: 1,280 of 32,000 tokens' }).waitFor()
    expect(model.requests.at(-2)?.body.model).toBe('larger')
    await visitor.expectAccessible()
    await pictures(page, 'engine-picker')
    await page.reload()
    await button('Engine: Workshop · larger. Choose another').click()
    await page.getByText('32,000 tokens of context').first().waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'engine-menu')
    await page
      .getByRole('menuitemcheckbox', { name: 'scripted' })
      .or(page.getByRole('menuitemradio', { name: 'scripted' }))
      .click()
    await button('Engine: scripted. Choose another').waitFor()
  })

  test('leaving with unsaved changes asks first', async () => {
    await page.goto('/admin/ai')
    await button('Edit Workshop').click()
    await page.getByLabel('Name', { exact: true }).fill('other')
    await page.getByRole('link', { name: 'Modules' }).first().click()
    const ask = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
    await visitor.expectAccessible()
    await ask.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Modules' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/modules')
  })

  test('limits of a role are set, seen near their end, and what was used is shown', async () => {
    await page.goto('/admin/limits')
    await page.getByText('No limits').first().waitFor()
    await page.getByText('Usage by user').first().waitFor()
    await visitor.expectAccessible()
    await button('Change limits user').click()
    const dialog = page.getByRole('dialog', { name: 'Limits for user' })
    const day = dialog.getByRole('group', { name: 'Per day' })
    await day.getByLabel('Messages').fill('many')
    await dialog.getByText('Enter a number, or leave it empty.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await day.getByLabel('Messages').fill('1')
    await visitor.expectAccessible()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('1 message a day').waitFor()
    await pictures(page, 'limits')

    await app.as('ann')
    await using ann = await openVisitor(browser, app.url, { phone: true })
    ann.expectMessage(/\/api\/auth\/session\b|\/api\/chat\b/)
    await ann.signIn('ann')
    await ann.page.goto('/chat?new=true')
    await messageBox(ann.page).waitFor()
    await say(ann.page, 'Hello')
    await (await lastAnswer(ann.page)).getByText('From the model.').waitFor()
    await say(ann.page, 'Once more')
    await ann.page
      .getByText(/Your messages to the AI engine for today are used up/)
      .first()
      .waitFor()
    await ann.page.goto('/')
    await ann.page.getByText(/^Used up\. It resets on/).waitFor()
    await ann.expectAccessible()
    expect(await ann.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  })

  test('live runs are shown, stopped, and their tool is switched off', async () => {
    const admin = await app.as('admin')
    const { items } = await admin.call(contract.accounts.listRoles)
    const role = items.find(({ admin: yes }) => yes)!
    const rules = [{ subject: 'tool:system.run_command' as const, effect: 'allow' as const }]
    await admin.call(contract.accounts.updateRole, { params: { role_id: role.role_id }, body: { rules } })
    await page.goto('/admin/runs')
    await page.getByText('Nothing is running').waitFor()
    await visitor.expectAccessible()
    await begin(admin, 'please sleep')
    await begin(admin, 'please hold')
    await row('system.run_command').getByText('Running', { exact: true }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'runs')
    await button('Switch off system.run_command for all users').click()
    const dialog = page.getByRole('dialog', { name: 'Switch off a tool' })
    await dialog.getByLabel('Reason (optional)').fill('It is being repaired.')
    await visitor.expectAccessible()
    await dialog.getByRole('button', { name: 'Switch off' }).click()
    await row('It is being repaired.').waitFor()
    await page.goto('/modules/system?tab=tools')
    await page.getByText('Switched off').first().waitFor()
    await page.goto('/admin/runs')
    await button('Switch on system.run_command').click()
    await page.getByText('Everything is on.').waitFor()
    await button('Stop all').click()
    const ask = page.getByRole('dialog', { name: /^Stop \d runs?\?$/ })
    await ask.getByRole('button', { name: 'Stop all' }).click()
    await page.getByText('Nothing is running').waitFor()
    expect((await admin.call(contract.chat.listRuns)).items).toEqual([])
  })

  test('every page works at 360 px in the dark', async () => {
    await using phone = await openVisitor(browser, app.url, { phone: true, dark: true })
    phone.expectMessage(/\/api\/auth\/session\b/)
    await phone.signIn('admin')
    for (const [path, sign] of [
      ['/admin/ai', 'Workshop'],
      ['/admin/limits', 'Usage by user'],
      ['/admin/runs', 'Everything is on.'],
      ['/', 'Storage'],
    ] as const) {
      await phone.page.goto(path)
      await phone.page.getByText(sign).first().waitFor()
      expect([path, await phone.page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 360])
      await phone.expectAccessible()
    }
  })

  test('the engine is removed after asking', async () => {
    await page.goto('/admin/ai')
    for (const name of ['Workshop', 'scripted']) {
      await button(`Actions for ${name}`).click()
      await page.getByRole('menuitem', { name: 'Remove engine' }).click()
      const ask = page.getByRole('dialog', { name: `Remove ${name}?` })
      await ask.getByRole('button', { name: 'Remove engine' }).click()
      await row(name).waitFor({ state: 'detached' })
    }
    await page.getByText('No AI engine is set up').waitFor()
    expect((await (await app.as('admin')).call(contract.engines.engine)).source).toBe('none')
  })
})
