import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { say } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { type ScriptedRequest, startScriptedModel } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

/** What PostgreSQL needs on top: the locks under which rows are numbered, and the wake-ups of other processes. */
const COORDINATION = /pg_advisory_xact_lock|pg_notify/

/** One answer, or for a message about the host a call and then an answer. */
function script(request: ScriptedRequest) {
  const last = request.messages.at(-1)
  if (last?.role === 'user' && JSON.stringify(last.content).includes('host'))
    return [{ calls: [{ name: 'system.host', arguments: {} }] }]
  return [{ text: 'Hello ' }, { text: 'there.' }]
}

/**
 * A service that knows its user already, and what each of its turns asks of the database. Of three turns the one with
 * the fewest statements counts: something in the background may fall into the others.
 */
async function openCounter(closing: AsyncDisposableStack, database: (typeof databases)[number]) {
  const seen: string[] = []
  const model = closing.use(await startScriptedModel(script))
  const app = closing.use(await startTestApp({ database, model, observe: (statement) => seen.push(statement) }))
  const client = await app.as('admin')
  // Answers once the modules are up.
  await client.call(contract.chat.listTools)
  await say(client, 'Hello')
  const unchained = () => app.app.db.read.selectFrom('audit_unchained').select('entry_id').limit(1)
  return {
    client,
    async cheapest(turn: () => Promise<unknown>) {
      const turns: string[][] = []
      for (let i = 0; i < 3; i++) {
        await until(async () => (await unchained().executeTakeFirst()) === undefined, { what: 'the audit is chained' })
        seen.length = 0
        await turn()
        turns.push([...seen])
      }
      const all = turns.toSorted((a, b) => a.length - b.length)[0]!
      return {
        commits: all.filter((statement) => statement === 'commit').length,
        statements: all.filter((statement) => statement !== 'commit' && !COORDINATION.test(statement)),
        coordination: all.filter((statement) => COORDINATION.test(statement)).length,
      }
    },
  }
}

/** One statement more needs a reason: the list shows which it is. */
function expectAtMost(most: number, statements: readonly string[]): void {
  if (statements.length > most) expect.fail(statements.map((statement, i) => `${i + 1} ${statement}`).join('\n'))
}

describe.each(databases)('a turn asks of the database ($name)', (database) => {
  const coordination = database.name === 'postgres' ? 5 : 0

  test('27 statements and 2 commits when it begins a conversation', async () => {
    await using closing = new AsyncDisposableStack()
    const { client, cheapest } = await openCounter(closing, database)
    const turn = await cheapest(() => say(client, 'Hello'))
    expectAtMost(27, turn.statements)
    expect(turn).toMatchObject({ commits: 2, coordination })
  })

  test('28 statements and 2 commits when it continues one, however long', async () => {
    await using closing = new AsyncDisposableStack()
    const { client, cheapest } = await openCounter(closing, database)
    const { conversation_id } = await say(client, 'Hello')
    const turn = await cheapest(() => say(client, 'Hello again', { conversation_id }))
    expectAtMost(28, turn.statements)
    expect(turn).toMatchObject({ commits: 2, coordination })
  })

  test('70 statements and 5 commits when it calls a tool, which is counted, and so takes a second step', async () => {
    await using closing = new AsyncDisposableStack()
    const { client, cheapest } = await openCounter(closing, database)
    const turn = await cheapest(async () => {
      const { tool_calls_executed } = await say(client, 'What is this host?')
      expect(tool_calls_executed).toHaveLength(1)
    })
    expectAtMost(70, turn.statements)
    expect(turn.commits).toBe(5)
  })
})
