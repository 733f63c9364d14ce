import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { decide, messagesOf, partsOf, say } from './stage/chat-stage.ts'
import { ProblemAnswer, type TestClient } from './stage/client.ts'
import { openFolder } from './stage/open-folder.ts'
import { PASSWORD } from './stage/people.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { linesIn } from './stage/run-ledger.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'
import { placeVersionBefore, whyNoVersionBefore } from './stage/version-before.ts'

/** What went wrong, as the log has it. */
function errorsOf(log: TestProcess['log']): string[] {
  return log.filter(({ level }) => level === 'error').map((line) => JSON.stringify(line))
}

/** Rounds of each worker, in each of the three stretches: before, beside and after. */
const ROUNDS = 3
const why = whyNoVersionBefore()
if (why !== null) console.log(`skipped: ${why}`)

describe.runIf(why === null && databases.some(({ name }) => name === 'postgres'))('an upgrade without a stop', () => {
  const closing = new AsyncDisposableStack()
  let before: TestProcess
  let after: TestProcess
  let ledger: string
  /** What was acknowledged: texts by conversation. */
  const said: { conversation_id: string; text: string }[] = []
  let approved = 0
  let signIns = 0
  /** Statuses of refusals. */
  const refused: number[] = []

  async function signInAt(service: TestProcess): Promise<TestClient> {
    const client = service.anonymous()
    const { csrf_token } = await client.call(contract.accounts.login, {
      body: { username: 'admin', password: PASSWORD },
    })
    client.csrfToken = csrf_token
    signIns++
    return client
  }

  /** A sign-in here, a message here, a card here that is decided there, a look at it all there. */
  async function round(here: TestProcess, there: TestProcess): Promise<void> {
    const [client, other] = [await signInAt(here), await signInAt(there)]
    const text = `hello ${randomUUID()}`
    const first = await say(client, text)
    said.push({ conversation_id: first.conversation_id, text })
    const body = JSON.stringify({ command: `echo line >> ${ledger}`, shell: true })
    const asked = await say(client, `/system.run_command ${body}`)
    const { approvals } = await other.call(contract.chat.conversation, {
      params: { conversation_id: asked.conversation_id },
    })
    await decide(other, approvals[0]!.approval_id, 'approve')
    approved++
    // The one that did not decide sees that it has run.
    await until(
      async () => {
        const messages = await messagesOf(client, asked.conversation_id)
        return messages.some((message) =>
          partsOf(message, 'tool_call').some(({ tool_call }) => tool_call.status === 'done'),
        )
      },
      { what: 'the call is done' },
    )
  }

  async function rounds(here: TestProcess, there: TestProcess): Promise<void> {
    for (let i = 0; i < ROUNDS; i++)
      await round(here, there).catch(async (error: unknown) => {
        if (!(error instanceof ProblemAnswer)) throw error
        refused.push(error.status)
        const why = await until(
          // In the first stretch there is no other process yet.
          () =>
            [before, after as TestProcess | undefined].flatMap((service) => errorsOf(service?.log ?? [])).join('\n'),
          { what: `the log says why: ${error.message}` },
        )
        throw new Error(`refused with ${error.status}:\n${why}`, { cause: error })
      })
  }

  beforeAll(async () => {
    const folder = await openFolder(closing)
    ledger = join(await openFolder(closing), 'ledger')
    await placeVersionBefore(folder)
    const url = await createDatabase()
    const options = {
      database: { name: 'postgres' as const, url: () => Promise.resolve(url) },
      env: { REEVE_SECRET_KEY: 'a1'.repeat(32) },
    }
    before = closing.use(await startProcess({ ...options, program: folder }))
    await before.as('admin')
    // The new version migrates while the other one works.
    const working = rounds(before, before)
    after = closing.use(await startProcess(options))
    await working
  }, 120_000)
  afterAll(() => closing.disposeAsync())

  test('both versions work beside each other, and the new one goes on alone', { timeout: 120_000 }, async () => {
    expect(after.log.some(({ msg }) => msg === 'migrated')).toBe(true)
    await Promise.all([rounds(before, after), rounds(after, before)])
    expect((await fetch(`${before.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${after.url}/readyz`)).status).toBe(200)
    const ended = before.kill('SIGTERM')
    await Promise.all([rounds(after, after), ended])
    expect(await ended).toBe(0)
    expect(refused).toEqual([])
  })

  test('nothing is lost, nothing doubled, the audit log is whole', async () => {
    const admin = await signInAt(after)
    const { items } = await admin.call(contract.chat.listConversations, { query: { limit: 100 } })
    const ids = new Set(items.map(({ conversation_id }) => conversation_id))
    expect(said.filter(({ conversation_id }) => !ids.has(conversation_id))).toEqual([])
    for (const { conversation_id, text } of said) {
      const messages = await messagesOf(admin, conversation_id)
      const own = messages.filter((message) => partsOf(message, 'text').some((part) => part.text === text))
      expect(own.length).toBeGreaterThan(0)
      expect(messages.filter(({ status }) => status !== 'complete')).toEqual([])
    }
    expect(approved).toBe(4 * ROUNDS)
    expect(linesIn(ledger)).toBe(approved)
    expect((await admin.call(contract.accounts.verifyAudit)).ok).toBe(true)
    const log = [...before.log, ...after.log]
    expect(errorsOf(log)).toEqual([])
    const { items: entries } = await admin.call(contract.accounts.audit, { query: { action: 'login', limit: 100 } })
    expect(entries.filter(({ action }) => action === 'login')).toHaveLength(signIns)
  })
})
