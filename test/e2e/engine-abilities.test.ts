import { expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { startScriptedModel } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say } from './visitor.ts'

test('what a model can is found out once it is saved, shown with where it is known from, and set by who knows better', async () => {
  await using model = await startScriptedModel((request) =>
    request.tools.some(({ name }) => /report/.test(name))
      ? [{ calls: [{ name: 'test.report', arguments: { value: 'ready' } }] }]
      : [{ text: 'From the model.' }],
  )
  await using app = await startTestApp()
  const admin = await app.as('admin')
  const limits = { context_tokens: 32_000, price: null, timeout_ms: 60_000, idle_timeout_ms: 60_000 }
  const engine = { provider: 'openai-compatible', base_url: model.url, model: 'scripted', api_key: null } as const
  await admin.call(contract.engines.addEngine, { body: { ...engine, ...limits, name: 'Local' } })
  const browser = await openBrowser()
  await using visitor = await openVisitor(browser, app.url)
  visitor.expectMessage(/\/api\/auth\/session\b/)
  await visitor.signIn('admin')
  const { page } = visitor
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const abilities = page.getByRole('region', { name: 'What its models can do' })

  // Saving through the API asks nothing.
  expect(model.requests.length).toBe(0)
  await page.goto('/admin/ai')
  await button('Edit Local').click()
  await abilities.getByText('Not known yet').first().waitFor()
  await button('Probe scripted').waitFor()
  await button('Save').click()
  await button('Edit Local').click()
  await abilities.getByText(/^Yes, tried/).waitFor()

  await abilities.getByLabel('Tools').selectOption('No')
  await abilities.getByText(/^No, set by an administrator/).waitFor()
  await abilities.getByText(/contradicts this: Yes, tried/).waitFor()
  await visitor.expectAccessible()
  await abilities.getByLabel('Pictures').scrollIntoViewIfNeeded()
  await pictures(page, 'engine-abilities')
  await page.goto('/chat?new=true')
  await messageBox(page).waitFor()
  await say(page, 'Hello')
  await (await lastAnswer(page)).getByText(/The model scripted takes no tools/).waitFor()
  await visitor.expectAccessible()

  await page.goto('/admin/ai')
  await page.getByText(/Without tools/).waitFor()
  await button('Edit Local').click()
  await abilities.getByLabel('Tools').selectOption('As found')
  await abilities.getByText(/^Yes, tried/).waitFor()
  await button('Probe again scripted').click()
  await expect.poll(() => button('Probe again scripted').isEnabled()).toBe(true)
  await abilities.getByText(/^Yes, tried/).waitFor()
  await browser.close()
})
