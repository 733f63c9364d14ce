import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openAudit } from '../server/accounts/audit/audit.ts'
import { startTestApp } from './stage/app.ts'
import { begin, command, decide, lastAnswer, partsOf, say } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'
import { expectClosed, linesIn, readRun } from './stage/run-ledger.ts'
import { gate, startScriptedModel } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

/** Another process on the same database. */
const ANOTHER = 'prc_another'

/** What happens to a driver that was away so long that another process has its run. */
describe.each(databases)('a lost lease on $name', (database) => {
  // The embedded database has one process: nobody else can have taken a run there.
  test.runIf(database.name === 'postgres')(
    'whoever lost the run writes nothing more, and a living lease is left alone',
    async () => {
      const held = gate()
      await using model = await startScriptedModel([
        [{ text: 'Mine. ' }, { wait: held }, { text: 'Still mine?' }],
        [{ text: 'Fine.' }],
      ])
      await using service = await startTestApp({ database, model })
      const { db, chat } = service.app
      const client = await service.as('admin')
      const { run_id, conversation_id } = await begin(client, 'Whose is it?')
      await until(async () => (await readRun(db.read, run_id)).parts.length > 0, { what: 'the answer began' })

      await db.write
        .insertInto('process')
        .values({ process_id: ANOTHER, host: 'h', version: '1', started_at: 0, heartbeat_at: Date.now() + 3_600_000 })
        .execute()
      const taken = { lease_owner: ANOTHER, lease_expires_at: Date.now() + 60_000 }
      await db.write
        .updateTable('run')
        .set((eb) => ({ ...taken, epoch: eb('epoch', '+', 1) }))
        .where('run_id', '=', run_id)
        .execute()
      const before = await readRun(db.read, run_id)
      held.open()
      await (
        await model.request(0)
      ).closed
      // A lease of another process is not ours to break; its time tells.
      await chat.runner.recover()
      await until(async () => {
        await chat.runner.recover()
        return model.open === 0
      })
      expect(await readRun(db.read, run_id)).toEqual(before)

      await db.write
        .updateTable('run')
        .set({ lease_expires_at: Date.now() - 1 })
        .where('run_id', '=', run_id)
        .execute()
      await until(
        async () => {
          await chat.runner.recover()
          return (await readRun(db.read, run_id)).run.status === 'interrupted'
        },
        { what: 'the run is taken over' },
      )
      const { parts } = await expectClosed(db.read, run_id)
      expect(parts.map((part) => [part.type, part.text])).toEqual([
        ['text', 'Mine. '],
        ['notice', ''],
      ])
      expect(await say(client, 'And now?', { conversation_id })).toMatchObject({ answer: 'Fine.' })
    },
  )

  test('whoever repeats a request is not answered by a run that goes on for ever: its driver was lost during a call', async () => {
    await using service = await startTestApp({ database })
    const { db } = service.app
    const client = await service.as('admin')
    const how = { headers: { 'idempotency-key': 'again' } }
    const message = '/system.run_command {"command": "true"}'
    const asked = await begin(client, message, how)
    const { items } = await until(
      async () => {
        const found = await client.call(contract.chat.listApprovals, { query: { status: 'pending' } })
        return found.items.length > 0 && found
      },
      { what: 'the card' },
    )
    await decide(client, items[0]!.approval_id, 'approve')
    // As the driver leaves it that is gone while the call runs.
    const { run_id } = asked
    await db.transaction(async (trx) => {
      const lost = { status: 'acting' as const, step: 1, ended_at: null, lease_owner: null, lease_expires_at: null }
      await trx.updateTable('run').set(lost).where('run_id', '=', run_id).execute()
      const running = { status: 'running' as const, ended_at: null, result_text: null }
      await trx.updateTable('tool_call').set(running).where('run_id', '=', run_id).execute()
    })
    expect(await begin(client, message, how)).toEqual(asked)
    await until(async () => (await client.call(contract.chat.run, { params: { run_id } })).status === 'interrupted', {
      what: 'the run is interrupted',
    })
    const answer = await lastAnswer(client, asked.conversation_id)
    expect(partsOf(answer, 'tool_call').map(({ tool_call }) => tool_call.status)).toEqual(['unknown'])
  })

  test('a result that comes after the run was lost is not stored, and the call stays unknown', async () => {
    await using service = await startWithCommand(database)
    const { db, chat } = service.app
    const { run_id, file } = service
    await until(() => linesIn(file), { what: 'the command runs' })
    const taken = { lease_owner: ANOTHER, lease_expires_at: Date.now() - 1 }
    await db.write
      .updateTable('run')
      .set((eb) => ({ ...taken, epoch: eb('epoch', '+', 1) }))
      .where('run_id', '=', run_id)
      .execute()
    // Ours again, by its time: the command still runs, but who takes a run over cannot know that.
    await chat.runner.recover()
    service.letGo()
    await until(
      async () => {
        await chat.runner.recover()
        return ['interrupted', 'done'].includes((await readRun(db.read, run_id)).run.status)
      },
      { what: 'the run is over', timeout: 15_000 },
    )
    const { run, calls } = await expectClosed(db.read, run_id)
    expect(run.status).toBe('interrupted')
    expect(calls.map((call) => call.status)).toEqual(['unknown'])
    // Whoever ended it: it may have changed something, so it stands in the log, once.
    await openAudit(db, Date.now).settle()
    const recorded = await db.read.selectFrom('audit').selectAll().where('action', '=', 'tool.called').execute()
    expect(recorded.map(({ target, outcome }) => [target, outcome])).toEqual([[calls[0]!.tool_call_id, 'failed']])
    expect(JSON.parse(recorded[0]!.details)).toMatchObject({ status: 'unknown', tool: 'system.run_command' })
    expect(linesIn(file)).toBe(1)
  })
})

test('who holds the lock of the data folder knows that no other lease on the embedded database counts', async () => {
  const held = gate()
  await using model = await startScriptedModel([[{ text: 'Mine. ' }, { wait: held }]])
  await using service = await startProcess({ model })
  const client = await service.as('admin')
  const { conversation_id } = await begin(client, 'Whose is it?')
  await held.reached
  await until(async () => partsOf(await lastAnswer(client, conversation_id), 'text').length > 0)
  await service.kill()
  const file = new DatabaseSync(join(service.dataFolder, 'reeve.db'))
  file.prepare('update run set lease_owner = ?, lease_expires_at = ?').run(ANOTHER, Date.now() + 3_600_000)
  file.close()
  await service.restart()
  // The lease would last an hour.
  await until(async () => (await lastAnswer(client, conversation_id)).status !== 'streaming')
  expect((await lastAnswer(client, conversation_id)).status).toBe('interrupted')
})

/** A service in which a command that changes something is under way, until it is let go. */
async function startWithCommand(database: (typeof databases)[number]) {
  const opened = new AsyncDisposableStack()
  let script = ''
  const model = opened.use(
    await startScriptedModel((_request, index) => (index === 0 ? [{ calls: [command(script)] }] : [{ text: 'Fine.' }])),
  )
  const service = opened.use(await startTestApp({ database, model }))
  const file = join(service.dataFolder, 'written')
  const stop = join(service.dataFolder, 'stop')
  script = `echo line >> ${file}; while [ ! -e ${stop} ]; do sleep 0.05; done`
  const letGo = (): void => writeFileSync(stop, '')
  opened.defer(letGo)
  const client = await service.as('admin')
  const { run_id } = await begin(client, 'write')
  const [card] = await until(async () => {
    const { items } = await client.call(contract.chat.listApprovals, { query: { status: 'pending' } })
    return items.length > 0 ? items : null
  })
  await decide(client, card!.approval_id, 'approve', { headers: { prefer: 'respond-async' } })
  return { app: service.app, run_id, file, letGo, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
