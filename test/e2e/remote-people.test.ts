import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { decide, openStage, say, type Stage } from '../stage/chat-stage.ts'
import { openBrowser } from '../stage/browser.ts'
import type { TestClient } from '../stage/client.ts'
import { connectedModule } from '../stage/modules/connected-module.ts'
import { oauthProvider } from '../stage/servers/oauth-provider.ts'
import { oauthServer } from '../stage/servers/oauth-server.ts'
import { databases } from '../stage/servers/postgres.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

const LONG = 180_000
const PEOPLE = ['ann', 'ben'] as const

describe('OAuth with a real provider', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let browser: Browser
  let server: Awaited<ReturnType<typeof oauthProvider>>

  beforeAll(async () => {
    server = opened.use(await oauthProvider(['root', ...PEOPLE]))
    stage = opened.use(await openStage(databases[0]!, { engine: false }))
    await stage.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
  }, LONG)
  afterAll(() => opened.disposeAsync())

  async function visit(username: string): Promise<Visitor> {
    const visitor = opened.use(await openVisitor(browser, stage.url))
    visitor.expectMessage(/\/api\/auth\/session\b|favicon|127\.0\.0\.1:\d+\/(interaction|favicon)/)
    visitor.expectForeign(new URL(server.url).origin)
    await visitor.signIn(username)
    return visitor
  }
  /** Calls the tool, and agrees to that: what it comes to, and in which conversation. */
  async function hello(client: TestClient) {
    const asked = await say(client, '/notes.hello {}')
    const { result } = await decide(client, asked.approvals[0]!.approval_id, 'approve')
    return { conversation_id: asked.conversation_id, call: result!.tool_calls_executed[0]! }
  }

  test(
    'it is added by its address, two people connect, each sees their own, one disconnects',
    { timeout: LONG },
    async () => {
      const admin = await visit('admin')
      await admin.page.goto('/modules')
      await admin.page.getByRole('button', { name: 'Add a module', exact: true }).click()
      await admin.page.getByRole('button', { name: 'Add by address', exact: true }).click()
      const form = admin.page.getByRole('dialog', { name: 'Add by address' })
      await form.getByRole('textbox', { name: 'Address' }).fill(server.url)
      await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Notes')
      await form.getByLabel('Sign-in').selectOption({ label: 'Headers' })
      await form.getByRole('textbox', { name: 'Headers' }).waitFor()
      await form.getByLabel('Sign-in').selectOption({ label: 'OAuth: each person with an account of their own' })
      await form.getByLabel('Allow private network addresses').check()
      await expectFits(admin)
      await pictures(admin.page, 'remote-dialog-oauth')
      await form.getByRole('button', { name: 'Add', exact: true }).click()
      await admin.page.getByRole('button', { name: /^Connect\b/ }).click()
      await admin.page.getByRole('link', { name: 'Sign in as root' }).click()
      await admin.page.getByText(/^Connected by 127\.0\.0\.1:\d+ since/).waitFor()
      const params = { module_name: 'notes' }
      await (await stage.signIn('admin')).call(contract.modules.enable, { params, body: {} })

      const rules = [{ subject: 'tool:notes.*', effect: 'ask' as const, approvers: [] }]
      for (const name of PEOPLE) {
        const { client } = await stage.member(name, rules)
        const { conversation_id, call } = await hello(client)
        expect(call).toMatchObject({ status: 'failed' })
        const person = await visit(name)
        await person.page.goto(`/chat?c=${conversation_id}`)
        await person.page.getByRole('link', { name: 'Connect Notes…' }).waitFor()
        await expectFits(person)
        await pictures(person.page, `remote-connect-first-${name}`)
        await person.page.getByRole('link', { name: 'Connect Notes…' }).click()
        await person.page.getByRole('link', { name: 'Back to the conversation' }).waitFor()
        await expectFits(person)
        await pictures(person.page, `remote-connections-${name}`)
        await person.page.getByRole('button', { name: /^Connect\b/ }).click()
        await person.page.getByRole('link', { name: `Sign in as ${name}` }).click()
        await person.page.waitForURL(`${stage.url}/chat?c=${conversation_id}`)
        await person.page
          .getByText(/connection_required/)
          .first()
          .waitFor()
        await expect.poll(() => person.page.getByRole('link', { name: 'Connect Notes…' }).count()).toBe(0)
        expect((await hello(client)).call).toMatchObject({ status: 'done', result_preview: `the notes of ${name}` })
      }
      const ann = await visit('ann')
      await ann.page.goto('/account?tab=connections')
      await ann.page.getByText(/^Connected by/).waitFor()
      await expectFits(ann)
      await pictures(ann.page, 'remote-connections-connected')
      await ann.page.getByRole('button', { name: /^Disconnect/ }).click()
      await ann.page.getByText('Not connected').waitFor()
      server.calls.length = 0
      expect((await hello(await stage.signIn('ann'))).call).toMatchObject({ status: 'failed' })
      expect((await hello(await stage.signIn('ben'))).call).toMatchObject({ result_preview: 'the notes of ben' })
      expect(server.calls).toEqual(['ben'])
    },
  )

  test('a call that was not let in offers to connect only as long as that is wanted', { timeout: LONG }, async () => {
    await using simple = await oauthServer()
    const client = await stage.as('admin')
    const far = connectedModule(stage, client)
    await far.add(simple, 'shared')
    await far.start(simple)
    simple.now.needs = 'write'
    expect(await far.hello(client)).toMatchObject({ status: 'failed' })
    const { items } = await client.call(contract.chat.listConversations, { query: {} })
    const admin = await visit('admin')
    const { page } = admin
    await page.goto(`/chat?c=${items[0]!.conversation_id}`)
    const connect = page.getByRole('link', { name: 'Connect far…' })
    await connect.waitFor()
    await expectFits(admin)
    simple.now.needs = null
    await far.connectForAll(simple)
    await connect.waitFor({ state: 'detached' })
    await page
      .getByText(/scope_required/)
      .first()
      .waitFor()
  })
})
