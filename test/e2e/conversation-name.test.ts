import { expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { begin } from '../stage/chat-stage.ts'
import { gate, startScriptedModel } from '../stage/servers/scripted-model.ts'
import { openVisitor } from './visitor.ts'

test('a name that arrives while the conversation is being read stays', async () => {
  await using opened = new AsyncDisposableStack()
  const model = opened.use(await startScriptedModel(() => [{ text: 'An answer.' }]))
  const app = opened.use(await startTestApp({ model }))
  const admin = await app.as('admin')
  const browser = await openBrowser()
  opened.defer(() => browser.close())
  const visitor = opened.use(await openVisitor(browser, app.url))
  visitor.expectMessage(/\/api\/auth\/session\b/)
  await visitor.signIn('admin')
  const { page } = visitor
  const heading = page.getByRole('heading', { level: 1 })

  const { conversation_id } = await begin(admin, 'Which name')
  await page.goto(`/chat?c=${conversation_id}`)
  await page.getByText('An answer.').waitFor()
  expect(await heading.textContent()).toBe('Which name')
  const read = gate()
  const renamed = gate()
  const address = `**/api/chat/conversations/${conversation_id}`
  await page.route(address, async (route) => {
    const response = await route.fetch()
    read.open()
    await renamed.opened
    await route.fulfill({ response })
  })
  await begin(admin, 'And the next', { conversation_id })
  await read.opened
  await admin.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title: 'This name' } })
  await heading.and(page.getByText('This name')).waitFor()
  renamed.open()
  // What the page shows next was in that answer, too.
  await page.getByText('And the next').first().waitFor()
  await expect.poll(() => page.getByText('An answer.').count()).toBe(2)
  expect(await heading.textContent()).toBe('This name')
})
