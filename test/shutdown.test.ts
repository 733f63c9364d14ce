import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { testEnvironment } from './stage/app.ts'
import { openFeed } from './stage/activity-feed.ts'
import { begin, command, decide, lastAnswer, noticesOf, partsOf, say, textOf } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { compileCache } from './stage/compile-cache.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { linesIn } from './stage/run-ledger.ts'
import {
  gate,
  startScriptedModel,
  type ScriptedModel,
  type ScriptedRequest,
  type ScriptedStep,
} from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

/** How long runs may go on, and what is enough for all of it on a busy machine, well within what systemd gives. */
const RUNS_MS = 10_000
const ENDED_MS = 20_000
const MAIN = join(import.meta.dirname, '../server/main.ts')

/** True while the process with the id in `file` is alive. */
function isAlive(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return true
  } catch {
    return false
  }
}

describe.each(databases)('SIGTERM on $name', (database) => {
  const opened = new AsyncDisposableStack()
  const closing = gate()
  const twice = gate()
  const onceMore = gate()
  const counts: Record<string, number> = {}
  let model: ScriptedModel
  let service: TestProcess
  let client: TestClient

  const file = (name: string): string => join(service.dataFolder, `written-${name}`)
  const scripts: Record<string, () => ScriptedStep[][]> = {
    'ends in time': () => [[{ text: 'Nearly ' }, { wait: closing }, { text: 'there.' }]],
    'never ends': () => [[{ text: 'Still ' }, { hang: true }]],
    blocks: () => [[{ calls: [command(`echo $$ > ${file('pid')}; exec sleep 600`)] }]],
    asks: () => [[{ calls: [command(`echo line >> ${file('asked')}`)] }], [{ text: 'Written.' }]],
    twice: () => [[{ text: 'Half ' }, { wait: twice }]],
    'once more': () => [[{ text: 'Half ' }, { wait: onceMore }, { text: 'and whole.' }]],
  }
  function answer(request: ScriptedRequest): ScriptedStep[] {
    const cue = textOf(request.messages.findLast((message) => message.role === 'user')?.content)
    counts[cue] = (counts[cue] ?? 0) + 1
    return scripts[cue]?.()[counts[cue] - 1] ?? [{ text: 'Fine.' }]
  }
  async function card(conversation_id: string) {
    return until(
      async () => (await client.call(contract.chat.conversation, { params: { conversation_id } })).approvals[0],
      { what: 'a card is up' },
    )
  }

  beforeAll(async () => {
    model = opened.use(await startScriptedModel(answer))
    service = opened.use(await startProcess({ database, model }))
    client = await service.as('admin')
  })
  afterAll(() => opened.disposeAsync())

  test(
    'runs get their time, streams end, what does not end is interrupted, cards wait',
    { timeout: 120_000 },
    async () => {
      const asking = await begin(client, 'asks')
      await card(asking.conversation_id)
      const blocking = await begin(client, 'blocks')
      await decide(client, (await card(blocking.conversation_id)).approval_id, 'approve', {
        headers: { prefer: 'respond-async' },
      })
      await until(() => linesIn(file('pid')), { what: 'the command runs' })
      const hanging = await begin(client, 'never ends')
      const finishing = say(client, 'ends in time')
      await closing.reached
      const stream = await openFeed(client)
      await until(async () => partsOf(await lastAnswer(client, hanging.conversation_id), 'text').length > 0)

      const asked = performance.now()
      const exited = service.kill('SIGTERM')
      await stream.ended
      // Long before the runs have had their time.
      expect(performance.now() - asked).toBeLessThan(RUNS_MS)
      // New requests are refused, in one way or the other.
      const late = await fetch(`${service.url}/healthz`).then(
        (response) => response.status,
        () => 'refused',
      )
      expect([503, 'refused']).toContain(late)
      closing.open()
      expect(await finishing).toMatchObject({ answer: 'Nearly there.' })
      expect(await exited).toBe(0)
      expect(performance.now() - asked).toBeLessThan(ENDED_MS)
      expect(isAlive(file('pid'))).toBe(false)

      await service.restart()
      const hung = await lastAnswer(client, hanging.conversation_id)
      expect(hung).toMatchObject({ status: 'interrupted', parts: [{ text: 'Still ' }, {}] })
      expect(noticesOf(hung)).toEqual(['run_interrupted'])
      const blocked = await lastAnswer(client, blocking.conversation_id)
      expect(blocked.status).toBe('interrupted')
      expect(partsOf(blocked, 'tool_call')[0]?.tool_call.status).toMatch(/^(cancelled|failed|unknown)$/)
      const { result } = await decide(client, (await card(asking.conversation_id)).approval_id, 'approve')
      expect(result).toMatchObject({ answer: 'Written.' })
      expect(linesIn(file('asked'))).toBe(1)
      expect(await say(client, 'And now?', { conversation_id: hanging.conversation_id })).toMatchObject({
        answer: 'Fine.',
      })
    },
  )

  test('with nothing to wait for it ends at once, whatever connections are open', async () => {
    const stream = await openFeed(client)
    const asked = performance.now()
    expect(await service.kill('SIGTERM')).toBe(0)
    await stream.ended
    expect(performance.now() - asked).toBeLessThan(RUNS_MS)
    await service.restart()
  })

  const stops = (): number => service.log.filter((line) => line.msg === 'stopping').length

  test('a second SIGTERM at once is the same wish: the stop stays an orderly one', async () => {
    const { conversation_id } = await begin(client, 'once more')
    await onceMore.reached
    const before = stops()
    const exited = service.kill('SIGTERM')
    await until(() => stops() > before, { what: 'it is stopping' })
    for (let i = 0; i < 3; i++) process.kill(service.pid, 'SIGTERM')
    onceMore.open()
    expect(await exited).toBe(0)
    await service.restart()
    expect(textOf((await lastAnswer(client, conversation_id)).parts)).toBe('Half and whole.')
  })

  test('a second SIGTERM after a second may cut the waiting short, and harms nothing', async () => {
    const { run_id, conversation_id } = await begin(client, 'twice')
    await twice.reached
    await until(async () => partsOf(await lastAnswer(client, conversation_id), 'text').length > 0)
    const asked = performance.now()
    const exited = service.kill('SIGTERM')
    const again = setInterval(() => void service.kill('SIGTERM'), 200)
    await exited
    clearInterval(again)
    expect(performance.now() - asked).toBeLessThan(ENDED_MS)
    await service.restart()
    await until(async () => (await client.call(contract.chat.run, { params: { run_id } })).status === 'interrupted', {
      what: 'it is interrupted',
    })
    expect(await lastAnswer(client, conversation_id)).toMatchObject({
      parts: [{ text: 'Half ' }, { notice: { code: 'run_interrupted' } }],
    })
    expect(await say(client, 'And now?', { conversation_id })).toMatchObject({ answer: 'Fine.' })
  })

  test('SIGTERM in the middle of the first start ends it, and the next start is a first start', async () => {
    const url = await database.url()
    await using fresh = await startProcess({ database: { name: database.name, url: () => Promise.resolve(url) } })
    await fresh.kill('SIGTERM')
    const folder = join(fresh.dataFolder, 'second')
    const env = await testEnvironment(folder, { database })
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
      env: { PATH: process.env.PATH, ...compileCache, ...env },
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    if (env.REEVE_DATABASE_URL === '')
      await until(() => existsSync(join(folder, 'reeve.db')), { what: 'the database is being made' })
    child.kill('SIGTERM')
    // Before anybody listens for it, the signal itself ends the process.
    expect([
      [0, null],
      [null, 'SIGTERM'],
    ]).toContainEqual(await exited)
    await fresh.restart({ REEVE_DATA_DIR: folder, REEVE_DATABASE_URL: env.REEVE_DATABASE_URL ?? '' })
    expect(fresh.setupLink).not.toBeNull()
  })
})

test.runIf(databases.some(({ name }) => name === 'postgres'))('SIGTERM while another process migrates', async () => {
  const url = await createDatabase()
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('select pg_advisory_lock(7313031)')
  const folder = await mkdtemp(join(tmpdir(), 'reeve-shutdown-'))
  const env = await testEnvironment(folder, { database: { name: 'postgres', url: () => Promise.resolve(url) } })
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    env: { PATH: process.env.PATH, ...compileCache, ...env },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  // Other tests migrate other databases of the same server.
  const here = '(select oid from pg_database where datname = current_database())'
  const waits = `select 1 from pg_locks where locktype = 'advisory' and not granted and objid = 7313031 and database = ${here}`
  await until(async () => (await other.query(waits)).rowCount, { what: 'the start waits for the other' })
  child.kill('SIGTERM')
  await other.end()
  expect(await exited).toEqual([0, null])
  await rm(folder, { recursive: true, force: true })
})
