import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openFeed, toldText } from './stage/activity-feed.ts'
import { startTestApp } from './stage/app.ts'
import { begin, lastAnswer, partsOf, say } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { openCutProxy, type CutProxy } from './stage/servers/cut-proxy.ts'
import { walkStory } from './stage/databases/fault-story.ts'
import { PASSWORD } from './stage/people.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { gate, startScriptedModel } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

const SECRET = { REEVE_SECRET_KEY: 'b2'.repeat(32) }
const at = (url: string) => ({ name: 'postgres' as const, url: () => Promise.resolve(url) })

describe.runIf(databases.some(({ name }) => name === 'postgres'))('the connection to PostgreSQL', () => {
  test(
    'whichever commit is done and not heard of, nothing is lost, left open or done twice',
    { timeout: 120_000 },
    async () => {
      await using opened = new AsyncDisposableStack()
      let network: CutProxy
      let n = 0
      const fault = {
        get struck() {
          return network.commits >= n ? [`commit ${n}`] : []
        },
        arm(next: number) {
          n = next
          network.loseAnswerOf(n)
        },
        disarm: () => network.loseAnswerOf(Infinity),
      }
      const wayTo = async (url: string): Promise<string> => {
        network = opened.use(await openCutProxy(url))
        return network.url
      }
      expect(await walkStory({ name: 'postgres', url: createDatabase }, fault, { wayTo, stride: 1 })).toBeGreaterThan(
        12,
      )
    },
  )

  test(
    'while the database is away requests are refused, and all goes on when it is back',
    { timeout: 120_000 },
    async () => {
      const held = gate()
      await using network = await openCutProxy(await createDatabase())
      await using model = await startScriptedModel((_request, index) =>
        index === 0 ? [{ text: 'I was ' }, { wait: held }] : [{ text: 'Fine.' }],
      )
      await using service = await startTestApp({ database: at(network.url), model })
      const client = await service.as('admin')
      const stream = await openFeed(client)
      const { run_id, conversation_id } = await begin(client, 'hello')
      await held.reached
      await stream.find((event) => event.type === 'run.delta')

      network.cut()
      await expect(service.anonymous().call(contract.operation.ready)).rejects.toMatchObject({
        status: 503,
        code: 'not_ready',
      })
      await expect(client.call(contract.chat.history)).rejects.toMatchObject({
        status: 503,
        code: 'storage_unavailable',
      })
      expect(await service.anonymous().call(contract.operation.health)).toEqual({ status: 'ok' })
      held.open()
      await (
        await model.request(0)
      ).closed
      network.mend()

      await readyAgain(client)
      await until(
        async () => {
          await service.app.chat.runner.recover()
          return (await client.call(contract.chat.run, { params: { run_id } })).status !== 'thinking'
        },
        { what: 'the run is over' },
      )
      const told = await lastAnswer(client, conversation_id)
      expect(partsOf(told, 'text')[0]?.text).toBe('I was ')
      expect(await say(client, 'And now?', { conversation_id })).toMatchObject({ answer: 'Fine.' })
      await stream[Symbol.asyncDispose]()
      await stream.ended
      const second = (await lastAnswer(client, conversation_id)).message_id
      // A stream that looked while the database was away has ended; a browser goes on from the last event it has.
      const resumed = await openFeed(client, { after: stream.cursor })
      await until(() => toldText([...stream.events, ...resumed.events], second, 0) === 'Fine.', {
        what: 'the stream tells of the new answer',
      })
      await resumed[Symbol.asyncDispose]()
    },
  )

  test('a run whose answer nobody has seen yet is answered when the database is back', async () => {
    const held = gate()
    await using network = await openCutProxy(await createDatabase())
    await using model = await startScriptedModel((_request, index) =>
      index === 0 ? [{ wait: held }, { text: 'Too late.' }] : [{ text: 'Fine.' }],
    )
    await using service = await startTestApp({ database: at(network.url), model })
    const client = await service.as('admin')
    const { run_id, conversation_id } = await begin(client, 'hello')
    await held.reached
    network.cut()
    held.open()
    await (
      await model.request(0)
    ).closed
    network.mend()
    await readyAgain(client)
    const run = await until(
      async () => {
        await service.app.chat.runner.recover()
        const now = await client.call(contract.chat.run, { params: { run_id } })
        return now.status !== 'thinking' && now
      },
      { what: 'the run is over' },
    )
    expect(run.status).toBe('done')
    expect(partsOf(await lastAnswer(client, conversation_id), 'text')[0]?.text).toBe('Fine.')
  })

  test(
    'what happened while a process did not hear the others reaches its streams without a further event',
    { timeout: 120_000 },
    async () => {
      const held = gate()
      const url = await createDatabase()
      await using network = await openCutProxy(url)
      await using model = await startScriptedModel([[{ text: 'Begun ' }, { wait: held }, { text: 'and ended.' }]])
      await using here = await startTestApp({ database: at(url), model, env: SECRET })
      // Not an administrator: modules that come up tell those of it, and a stream that looks in the moment of the cut ends.
      const client = await here.as('ann')
      await using there = await startTestApp({ database: at(network.url), model, env: SECRET })
      const elsewhere = there.anonymous()
      elsewhere.csrfToken = (
        await elsewhere.call(contract.accounts.login, { body: { username: 'ann', password: PASSWORD } })
      ).csrf_token
      const stream = await openFeed(elsewhere)
      const { run_id, conversation_id } = await begin(client, 'hello')
      await stream.find((event) => event.run_id === run_id && event.type === 'run.delta')
      // It looks once more for events after the one it sent.
      await elsewhere.call(contract.chat.activity)

      network.cut()
      held.open()
      await until(async () => (await client.call(contract.chat.run, { params: { run_id } })).status === 'done')
      network.mend()
      await stream.find((event) => event.run_id === run_id && event.type === 'run.completed')
      expect(toldText(stream.events, (await lastAnswer(client, conversation_id)).message_id, 0)).toBe(
        'Begun and ended.',
      )
      await stream[Symbol.asyncDispose]()
    },
  )

  test('a stop that a process did not hear of reaches it when it hears again', { timeout: 120_000 }, async () => {
    const held = gate()
    const url = await createDatabase()
    await using network = await openCutProxy(url)
    await using model = await startScriptedModel([[{ wait: held }], [{ text: 'Fine.' }]])
    await using there = await startTestApp({ database: at(network.url), model, env: SECRET })
    const client = await there.as('admin')
    await using here = await startTestApp({ database: at(url), model, env: SECRET })
    const elsewhere = here.anonymous()
    elsewhere.csrfToken = (
      await elsewhere.call(contract.accounts.login, { body: { username: 'admin', password: PASSWORD } })
    ).csrf_token
    const { conversation_id } = await begin(client, 'hello')
    await held.reached
    network.cut()
    const cancelled = elsewhere.call(contract.chat.cancel, { body: { conversation_id } })
    await until(async () => {
      const rows = await here.app.db.read.selectFrom('run').select('cancel_requested_at').execute()
      return rows.every((row) => row.cancel_requested_at !== null)
    })
    network.mend()
    expect(await cancelled).toMatchObject({ cancelled: true, cancelled_count: 1 })
    expect((await model.request(0)).outcome).toBe('aborted')
  })
})

function readyAgain(client: TestClient) {
  return until(async () => (await client.fetch('/readyz')).status === 200, { what: 'the service is ready again' })
}
