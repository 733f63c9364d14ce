import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { MIGRATIONS } from '../server/db/migrations/index.ts'
import { openFeed, toldText } from './stage/activity-feed.ts'
import { begin, command, decide, lastAnswer, noticesOf, partsOf, say, textOf } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { PASSWORD } from './stage/people.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { linesIn } from './stage/run-ledger.ts'
import {
  gate,
  startScriptedModel,
  type Gate,
  type ScriptedRequest,
  type ScriptedStep,
} from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

/** A lease lasts 20 s, and every 4 s somebody looks for one that is over; then the run goes on. */
const RECOVERY_LIMIT = { timeout: 30_000, what: 'the other process takes the run over' }

describe.runIf(databases.some(({ name }) => name === 'postgres'))('two processes on one database', () => {
  const opened = new AsyncDisposableStack()
  const gates: Record<string, Gate> = {}
  const counts: Record<string, number> = {}
  let url: string
  let a: TestProcess
  let b: TestProcess
  let onA: TestClient
  let onB: TestClient

  const file = (name: string): string => join(a.dataFolder, `written-${name}`)
  const scripts: Record<string, () => ScriptedStep[][]> = {
    slow: () => [
      [
        { text: 'It flows from one process to the other, word by word. ', each: 'word' },
        { wait: gates.slow! },
        { text: 'End.' },
      ],
    ],
    hanging: () => [[{ text: 'I begin. ' }, { wait: gates.hanging! }]],
    blocked: () => [
      [{ calls: [command(`echo $$ > ${file('pid')}; echo line >> ${file('blocked')}; exec sleep 600`)] }],
    ],
    asking: () => [[{ calls: [command(`echo line >> ${file('asked')}`)] }], [{ text: 'Written.' }]],
    crowd: () => [[{ calls: [command(`echo line >> ${file('crowd')}`)] }], [{ text: 'Once.' }]],
    votes: () => [[{ calls: [command(`echo line >> ${file('votes')}`)] }], [{ text: 'Once.' }]],
    against: () => [[{ calls: [command(`echo line >> ${file('against')}`)] }], [{ text: 'Over.' }]],
    silent: () => [[{ wait: gates.silent! }], [{ text: 'Here now.' }]],
    spoken: () => [[{ text: 'So far ' }, { wait: gates.spoken! }]],
    queueing: () => [[{ wait: gates.queueing! }, { text: 'Now the rest.' }]],
  }
  function answer(request: ScriptedRequest): ScriptedStep[] {
    const cue = textOf(request.messages.findLast((message) => message.role === 'user')?.content)
    counts[cue] = (counts[cue] ?? 0) + 1
    return scripts[cue]?.()[counts[cue] - 1] ?? [{ text: 'Fine.' }]
  }
  async function card(conversation_id: string) {
    return until(
      async () => (await onB.call(contract.chat.conversation, { params: { conversation_id } })).approvals[0],
      { what: 'a card is up' },
    )
  }

  beforeAll(async () => {
    for (const name of ['slow', 'hanging', 'silent', 'spoken', 'queueing']) gates[name] = gate()
    const model = opened.use(await startScriptedModel(answer))
    url = await createDatabase()
    const database = { name: 'postgres' as const, url: () => Promise.resolve(url) }
    const env = { REEVE_SECRET_KEY: 'a1'.repeat(32) }
    // Both find the database empty.
    const started = await Promise.all([startProcess({ database, model, env }), startProcess({ database, model, env })])
    for (const service of started) opened.use(service)
    ;[a, b] = started
    onA = await a.as('admin')
    onB = b.anonymous()
    onB.csrfToken = (
      await onB.call(contract.accounts.login, { body: { username: 'admin', password: PASSWORD } })
    ).csrf_token
  })
  afterAll(() => opened.disposeAsync())

  test('of two first starts at once, one migrates', async () => {
    const migrated = [a, b].map((service) => service.log.filter((line) => line.msg === 'migrated').length)
    expect(migrated.toSorted((x, y) => x - y)).toEqual([0, 1])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const { rows } = await client.query<{ migrations: string; roles: string }>(
        'select (select count(*) from migration)::int as migrations, (select count(*) from role)::int as roles',
      )
      expect(rows).toEqual([{ migrations: MIGRATIONS.length, roles: 3 }])
    } finally {
      await client.end()
    }
  })

  test('a stream on one process tells what happens on the other, in order and whole', async () => {
    // Both from one point on: administrators are told of modules that start, and two streams begin at two moments.
    const { cursor } = await onA.call(contract.chat.activity)
    const streams = await Promise.all([openFeed(onA, { after: cursor }), openFeed(onB, { after: cursor })])
    const { run_id, conversation_id } = await begin(onA, 'slow')
    await gates.slow!.reached
    await streams[1].find((event) => event.type === 'run.delta')
    // Meanwhile the other process works for the same person.
    await Promise.all(Array.from({ length: 5 }, () => say(onB, 'something else')))
    gates.slow!.open()
    const [end] = await Promise.all(
      streams.map((stream) => stream.find((event) => event.run_id === run_id && event.type === 'run.completed')),
    )
    const [first, second] = streams.map(({ events }) => events.map((event) => event.id).filter((id) => id <= end!.id))
    expect(first!.length).toBeGreaterThan(20)
    expect(second).toEqual(first)
    expect(first).toEqual([...first!].sort((x, y) => x - y))
    const message = await lastAnswer(onB, conversation_id)
    for (const stream of streams) {
      expect(toldText(stream.events, message.message_id, 0)).toBe(partsOf(message, 'text')[0]?.text)
      await stream[Symbol.asyncDispose]()
    }
  })

  test('a run is stopped from the other process within 2 s', async () => {
    const { conversation_id } = await begin(onA, 'hanging')
    await gates.hanging!.reached
    const asked = performance.now()
    expect(await onB.call(contract.chat.cancel, { body: { conversation_id } })).toMatchObject({
      cancelled: true,
      cancelled_count: 1,
    })
    expect(performance.now() - asked).toBeLessThan(2000)
    expect(await lastAnswer(onA, conversation_id)).toMatchObject({
      status: 'cancelled',
      parts: [{ text: 'I begin. ' }, {}],
    })
  })

  test('what is queued on one process is sent, once and in order, after a run on the other', async () => {
    const { conversation_id } = await begin(onA, 'queueing')
    await gates.queueing!.reached
    const params = { conversation_id }
    for (const message of ['Queued on B', 'Queued next'])
      await onB.call(contract.chat.queueMessage, { params, body: { message } })
    gates.queueing!.open()
    await until(
      async () => {
        const { queued, active_run } = await onB.call(contract.chat.conversation, { params })
        return queued === 0 && active_run === null
      },
      { what: 'all is sent' },
    )
    const { messages } = await onB.call(contract.chat.conversation, { params })
    expect(messages.flatMap((message) => partsOf(message, 'text').map(({ text }) => text))).toEqual([
      'queueing',
      'Now the rest.',
      'Queued on B',
      'Fine.',
      'Queued next',
      'Fine.',
    ])
  })

  test('a command that runs in one process is stopped from the other', async () => {
    const { conversation_id } = await begin(onA, 'blocked')
    await decide(onA, (await card(conversation_id)).approval_id, 'approve', { headers: { prefer: 'respond-async' } })
    await until(() => linesIn(file('blocked')), { what: 'the command runs' })
    const asked = performance.now()
    expect(await onB.call(contract.chat.cancel, { body: { conversation_id } })).toMatchObject({ cancelled: true })
    expect(performance.now() - asked).toBeLessThan(5000)
    const [part] = partsOf(await lastAnswer(onB, conversation_id), 'tool_call')
    expect(part?.tool_call.status).toMatch(/^(cancelled|unknown)$/)
  })

  test('a card of one process is decided on the other, which goes on with the run', async () => {
    const { conversation_id } = await begin(onA, 'asking')
    const { result } = await decide(onB, (await card(conversation_id)).approval_id, 'approve')
    expect(result).toMatchObject({ answer: 'Written.' })
    expect(linesIn(file('asked'))).toBe(1)
  })

  test('fifty decisions at once on both processes run the call once', async () => {
    const { conversation_id } = await begin(onA, 'crowd')
    const { approval_id } = await card(conversation_id)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => decide(i % 2 ? onA : onB, approval_id, 'approve')),
    )
    for (const { approval, result } of answers) {
      expect(approval.status).toBe('approved')
      expect(result).toMatchObject({ answer: 'Once.' })
    }
    expect(linesIn(file('crowd'))).toBe(1)
  })

  test('a hundred votes on both processes run the call once, and the last one against a denial has one outcome', async () => {
    const { role } = await onA.call(contract.accounts.createRole, { body: { name: 'leads', rules: [] } })
    const { role_id } = role
    const asks = { subject: 'tool:system.run_command', effect: 'ask' as const, approvers: [{ role_id, count: 2 }] }
    const { role: mates } = await onA.call(contract.accounts.createRole, { body: { name: 'mates', rules: [asks] } })
    const person = async (service: TestProcess, username: string, of: string) => {
      await onA.call(contract.accounts.createUser, { body: { username, password: PASSWORD, role_id: of } })
      return service.signIn(username)
    }
    const mate = await person(a, 'mate', mates.role_id)
    const [lea, leo] = [await person(a, 'lea', role_id), await person(b, 'leo', role_id)]
    const waiting = async (cue: string) => {
      const { conversation_id } = await begin(mate, cue)
      const read = () => mate.call(contract.chat.conversation, { params: { conversation_id } })
      const { approval_id } = await until(async () => (await read()).approvals[0], { what: 'a card is up' })
      const over = () =>
        until(async () => (await lastAnswer(mate, conversation_id)).status === 'complete', { what: 'the run is over' })
      return { params: { approval_id }, over }
    }
    const many = await waiting('votes')
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 2 ? lea : leo).call(contract.chat.voteOnApproval, { params: many.params, body: { decision: 'approve' } }),
      ),
    )
    await many.over()
    expect(linesIn(file('votes'))).toBe(1)

    const last = await waiting('against')
    await lea.call(contract.chat.voteOnApproval, { params: last.params, body: { decision: 'approve' } })
    const said = await Promise.allSettled([
      leo.call(contract.chat.voteOnApproval, { params: last.params, body: { decision: 'approve' } }),
      lea.call(contract.chat.voteOnApproval, { params: last.params, body: { decision: 'deny' } }),
    ])
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await last.over()
    expect(existsSync(file('against'))).toBe(said[0].status === 'fulfilled')
  })

  test('what a killed process was doing is taken over by the other', { timeout: 120_000 }, async () => {
    const silent = await begin(onA, 'silent')
    await gates.silent!.reached
    const spoken = await begin(onA, 'spoken')
    await gates.spoken!.reached
    const stream = await openFeed(onB)
    await until(async () => partsOf(await lastAnswer(onB, spoken.conversation_id), 'text').length > 0)
    await a.kill()
    await until(async () => (await onB.call(contract.chat.listRuns)).items.length === 0, RECOVERY_LIMIT)
    expect(await lastAnswer(onB, silent.conversation_id)).toMatchObject({
      status: 'complete',
      parts: [{ text: 'Here now.' }],
    })
    const message = await lastAnswer(onB, spoken.conversation_id)
    expect(message).toMatchObject({ status: 'interrupted', parts: [{ text: 'So far ' }, {}] })
    expect(noticesOf(message)).toEqual(['run_interrupted'])
    await stream.find((event) => event.run_id === spoken.run_id && event.type === 'run.interrupted')
    await stream[Symbol.asyncDispose]()
    expect(await say(onB, 'And now?', { conversation_id: spoken.conversation_id })).toMatchObject({ answer: 'Fine.' })
  })
})
