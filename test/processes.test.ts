import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { ALLOW_COMMANDS, begin, command, lastAnswer, openStage, partsOf, say } from './stage/chat-stage.ts'
import { readRun } from './stage/run-ledger.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('what another process has changed, without a wake-up, on $name', (database) => {
  test('a tool switched off holds for the next call, even of a step that has begun', async () => {
    await using stage = await openStage(database)
    const { db } = stage.app
    const ann = await stage.member('ann', ALLOW_COMMANDS)
    const file = (name: string) => join(stage.dataFolder, name)
    stage.play('otter', [
      [
        {
          calls: [
            command(`touch ${file('begun')}; while [ ! -e ${file('go')} ]; do sleep 0.05; done`),
            command(`touch ${file('second')}`),
          ],
        },
      ],
      [{ text: 'Over.' }],
    ])
    const { conversation_id } = await begin(ann.client, 'otter')
    await until(() => existsSync(file('begun')), { what: 'the first call runs' })
    // As another process does it, but nobody is woken.
    const off = { subject: 'tool:system.run_command', reason: 'Enough', by: 'root', at: 0 }
    await db.write.insertInto('off_switch').values(off).execute()
    await db.write.insertInto('revision').values({ topic: 'switches', value: 1_000_000 }).execute()
    writeFileSync(file('go'), '')
    const answer = await until(async () => {
      const last = await lastAnswer(ann.client, conversation_id)
      return last.status === 'complete' ? last : null
    })
    expect(partsOf(answer, 'tool_call').map((part) => part.tool_call.status)).toEqual(['done', 'denied'])
    expect(existsSync(file('second'))).toBe(false)
  })

  test('a rule that denies holds for the next run', async () => {
    await using stage = await openStage(database)
    const ann = await stage.member('ann', ALLOW_COMMANDS)
    stage.play('stoat', (_request, index) => (index % 2 === 0 ? [{ calls: [command('true')] }] : [{ text: 'Over.' }]))
    expect((await say(ann.client, 'stoat')).tool_calls_executed).toMatchObject([{ status: 'done' }])
    await stage.setRules(ann, [{ subject: 'tool:system.run_command', effect: 'deny' }])
    expect((await say(ann.client, 'stoat')).tool_calls_executed).not.toMatchObject([{ status: 'done' }])
  })
})

describe.runIf(databases.some(({ name }) => name === 'postgres'))('leases on PostgreSQL', () => {
  const database = databases.find(({ name }) => name === 'postgres')!

  test('a run whose lock is held keeps no other from being taken over; a process without a row holds nothing', async () => {
    await using stage = await openStage(database)
    const { db, chat } = stage.app
    const client = await stage.as('admin')
    const held = [gate(), gate()]
    stage.play('weasel', [[{ text: 'One. ' }, { wait: held[0]! }]])
    stage.play('marten', [[{ text: 'Two. ' }, { wait: held[1]! }]])
    const runs = [await begin(client, 'weasel'), await begin(client, 'marten')]
    for (const { run_id } of runs) await until(async () => (await readRun(db.read, run_id)).parts.length > 0)
    const ids = runs.map(({ run_id }) => run_id)
    const alive = {
      process_id: 'prc_frozen',
      host: 'h',
      version: '1',
      started_at: 0,
      heartbeat_at: Date.now() + 3_600_000,
    }
    await db.write.insertInto('process').values(alive).execute()
    await db.write
      .updateTable('run')
      .set((row) => ({
        lease_owner: alive.process_id,
        lease_expires_at: Date.now() + 3_600_000,
        epoch: row('epoch', '+', 1),
      }))
      .where('run_id', 'in', ids)
      .execute()
    for (const one of held) one.open()
    await until(async () => {
      await chat.runner.recover()
      return (
        (await db.read.selectFrom('run').select('run_id').where('lease_owner', '=', alive.process_id).execute())
          .length === 2
      )
    })
    // Its process is frozen in the middle of a transaction, and its row is gone.
    const frozen = new pg.Client({ connectionString: stage.databaseUrl })
    await frozen.connect()
    try {
      await frozen.query('begin')
      await frozen.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`run:${ids[0]}`])
      await db.write.deleteFrom('process').where('process_id', '=', alive.process_id).execute()
      await until(async () => {
        await chat.runner.recover()
        return (await readRun(db.read, ids[1]!)).run.status === 'interrupted'
      })
      expect((await readRun(db.read, ids[0]!)).run.status).toBe('thinking')
    } finally {
      await frozen.end()
    }
    await until(async () => {
      await chat.runner.recover()
      return (await readRun(db.read, ids[0]!)).run.status === 'interrupted'
    })
  })
})
