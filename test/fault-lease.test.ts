import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './app.ts'
import { begin, command, decide, say } from './chat-stage.ts'
import { databases } from './postgres.ts'
import { expectClosed, linesIn, readRun } from './run-ledger.ts'
import { gate, startScriptedModel } from './scripted-model.ts'
import { until } from './wait.ts'

const ANOTHER = 'another-machine/1/abcdef'

/** What happens to a driver that was away so long that another process has its run. */
describe.each(databases)('a lost lease on $name', (database) => {
  test('whoever lost the run writes nothing more into it, and the new driver’s lease is left alone', async () => {
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

    const taken = { lease_owner: ANOTHER, lease_expires_at: Date.now() + 60_000 }
    await db.read
      .updateTable('run')
      .set((eb) => ({ ...taken, epoch: eb('epoch', '+', 1) }))
      .where('run_id', '=', run_id)
      .execute()
    const before = await readRun(db.read, run_id)
    held.open()
    await (
      await model.request(0)
    ).closed
    // A living lease of another machine is not ours to break; its time tells.
    await chat.runner.recover()
    await until(async () => {
      await chat.runner.recover()
      return model.open === 0
    })
    expect(await readRun(db.read, run_id)).toEqual(before)

    await db.read
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
  })

  test('a result that comes after the run was lost is not stored, and the call stays unknown', async () => {
    await using service = await startWithCommand(database)
    const { db, chat } = service.app
    const { run_id, file } = service
    await until(() => linesIn(file), { what: 'the command runs' })
    const taken = { lease_owner: ANOTHER, lease_expires_at: Date.now() - 1 }
    await db.read
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
    expect(linesIn(file)).toBe(1)
  })
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
