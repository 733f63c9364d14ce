import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import type { TestClient } from '../stage/client.ts'
import { PASSWORD } from '../stage/people.ts'
import { startProcess, type TestProcess } from '../stage/process.ts'
import { gate, startScriptedModel, type Gate, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const STREAM = '/api/chat/activity/stream'

describe('stopping, several tabs, and lost connections', () => {
  const opened = new AsyncDisposableStack()
  const gates: Record<'one' | 'two', Gate> = { one: gate(), two: gate() }
  let service: TestProcess
  let admin: TestClient
  let browser: Browser
  let visitor: Visitor
  let second: Page

  const file = (name: string): string => join(service.dataFolder, name)
  const answer = (question: string): ScriptedStep[] => {
    if (question.includes('stop')) {
      // Ends by itself when the test is over, should stopping fail.
      const script = `touch ${file('began')}; while [ ! -e ${file('over')} ]; do sleep 0.05; done; touch ${file('finished')}`
      return [{ calls: [{ name: 'system.run_command', arguments: { command: script, shell: true } }] }]
    }
    if (question.includes('tab one')) return [{ wait: gates.one }, { text: 'Seen in both tabs.' }]
    if (question.includes('tab two')) return [{ wait: gates.two }, { text: 'Seen in the tab that is left.' }]
    return [{ text: `Heard: ${question}` }]
  }

  beforeAll(async () => {
    const model = opened.use(
      await startScriptedModel((request) => {
        const asked = request.messages.findLast(({ role }) => role === 'user')?.content
        return answer(typeof asked === 'string' ? asked : (asked ?? []).map((part) => part.text ?? '').join(' '))
      }),
    )
    service = opened.use(await startProcess({ model }))
    opened.defer(() => writeFileSync(file('over'), ''))
    admin = await service.as('admin')
    const { items } = await admin.call(contract.accounts.listRoles)
    const role = items.find(({ name }) => name === 'user')!
    const rules = [{ subject: 'tool:system.run_command', effect: 'allow' as const }]
    await admin.call(contract.accounts.updateRole, { params: { role_id: role.role_id }, body: { rules } })
    await service.as('olga')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, service.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('olga')
    await visitor.page.goto('/chat?new=true')
  })
  afterAll(() => opened.disposeAsync())

  test('a running command is stopped, and is gone', async () => {
    const { page } = visitor
    await say(page, 'Run something that I can stop')
    await page.getByRole('button', { name: /Running Run a command/ }).waitFor()
    await expect.poll(() => existsSync(file('began'))).toBe(true)
    await visitor.expectAccessible()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const stopped = await lastAnswer(page)
    await stopped.getByRole('button', { name: /(Cancelled|Outcome unknown) Run a command/ }).waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    writeFileSync(file('over'), '')
    await visitor.expectAccessible()
    await say(page, 'And on we go')
    await (await lastAnswer(page)).getByText('Heard: And on we go').waitFor()
    expect(existsSync(file('finished'))).toBe(false)
  })

  test('two tabs share one activity stream, and both see an answer within a second', async () => {
    const { page, paths } = visitor
    const streams = (): number => paths.filter((path) => path.startsWith(STREAM)).length
    const before = streams()
    expect(before).toBeGreaterThan(0)
    second = await visitor.context.newPage()
    await second.goto(page.url())
    await second.getByText('Heard: And on we go').waitFor()
    await say(page, 'Show it in tab one')
    await second.getByText('Show it in tab one').waitFor()
    await gates.one.reached
    const since = performance.now()
    gates.one.open()
    await Promise.all([page, second].map((tab) => tab.getByText('Seen in both tabs.').waitFor()))
    expect(performance.now() - since).toBeLessThan(8000)
    // The second tab needs none of its own.
    expect(streams()).toBe(before)
  })

  test('the tab with the stream closes, and the other goes on without a gap', async () => {
    const { page, paths } = visitor
    const before = paths.filter((path) => path.startsWith(STREAM)).length
    await say(second, 'Show it in tab two')
    await gates.two.reached
    await page.close()
    gates.two.open()
    await second.getByText('Seen in the tab that is left.').waitFor()
    await lastAnswer(second)
    expect(paths.filter((path) => path.startsWith(STREAM))).toHaveLength(before + 1)
    await visitor.expectAccessible(second)
  })

  test('the server goes away: a banner; a message that cannot be sent stays in the box and is sent once later', async () => {
    visitor.expectMessage(/net::ERR_/)
    await service.kill()
    await second.getByText('No connection to the server.').waitFor()
    await visitor.expectAccessible(second)
    await say(second, 'Through thick and thin')
    await second.getByText('The message was not sent').waitFor()
    expect(await messageBox(second).inputValue()).toBe('Through thick and thin')
    await visitor.expectAccessible(second)

    await service.restart()
    await second.getByText('No connection to the server.').waitFor({ state: 'detached' })
    await second.getByRole('button', { name: 'Try again' }).click()
    await (await lastAnswer(second)).getByText('Heard: Through thick and thin').waitFor()
    expect(await second.getByRole('article', { name: 'You' }).getByText('Through thick and thin').count()).toBe(1)
    expect(await messageBox(second).inputValue()).toBe('')
    await visitor.expectAccessible(second)
  })

  test('the session is ended by the administrator: sign in, and the text still stands in the box', async () => {
    visitor.expectMessage(/status of 401/)
    await messageBox(second).fill('A long thought that must not be lost')
    const { items } = await admin.call(contract.accounts.listUsers, { query: {} })
    const { user_id } = items.find(({ username }) => username === 'olga')!
    // A new password set by an administrator ends the sessions; here it is the same one.
    await admin.call(contract.accounts.updateUser, { params: { user_id }, body: { password: PASSWORD } })
    await messageBox(second).press('Enter')
    await second.getByText('Your session has ended. Sign in to continue where you left off.').waitFor()
    await visitor.expectAccessible(second)
    await second.getByRole('textbox', { name: 'Username' }).fill('olga')
    await second.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await second.getByRole('button', { name: 'Sign in' }).click()
    await second.getByText('Heard: Through thick and thin').waitFor()
    expect(await messageBox(second).inputValue()).toBe('A long thought that must not be lost')
    await messageBox(second).press('Enter')
    await (await lastAnswer(second)).getByText('Heard: A long thought that must not be lost').waitFor()
    await visitor.expectAccessible(second)
  })
})
