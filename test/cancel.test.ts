import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import {
  ALLOW_COMMANDS,
  begin,
  command,
  decide,
  lastAnswer,
  noticesOf,
  openStage,
  partsOf,
  say,
  type Stage,
} from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

const NOTHING = { ok: true, cancelled: false, cancelled_count: 0, warning: null }

describe.each(databases)('cancel on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Nothing of a run is open: not the run, its answer, a call, or a card. */
  async function expectAllEnded(run_id: string): Promise<void> {
    const { read } = stage.app.db
    const run = await read.selectFrom('run').selectAll().where('run_id', '=', run_id).executeTakeFirstOrThrow()
    expect(run).toMatchObject({ status: 'cancelled', lease_owner: null })
    expect(run.ended_at).not.toBeNull()
    const messages = await read
      .selectFrom('message')
      .select(['role', 'status'])
      .where('run_id', '=', run_id)
      .orderBy('position')
      .execute()
    expect(messages).toEqual([
      { role: 'user', status: 'complete' },
      { role: 'assistant', status: 'cancelled' },
    ])
    const calls = await read
      .selectFrom('tool_call')
      .select(['status', 'ended_at'])
      .where('run_id', '=', run_id)
      .execute()
    for (const call of calls) {
      expect(['done', 'denied', 'failed', 'cancelled', 'unknown']).toContain(call.status)
      expect(call.ended_at).not.toBeNull()
    }
    const cards = await read.selectFrom('approval').select('status').where('run_id', '=', run_id).execute()
    expect(cards.map((card) => card.status)).not.toContain('pending')
  }

  test('nothing active: cancelled false, count 0', async () => {
    const ann = await stage.as('ann')
    expect(await ann.call(contract.chat.cancel)).toEqual(NOTHING)
    await say(ann, 'done with')
    expect(await ann.call(contract.chat.cancel)).toEqual(NOTHING)
  })

  test('a call to the engine is closed, what was said is kept, and the waiting request gets the cancelled shape', async () => {
    const ann = await stage.as('ann')
    const half = gate()
    const requests = stage.play('tulip', [
      [{ reasoning: 'Hm.' }, { text: 'Half a sent' }, { wait: half }, { text: 'ence.' }],
    ])
    const sent = say(ann, 'tulip')
    await half.reached
    await until(async () => (await ann.call(contract.chat.activity)).cancellable, { what: 'the run is seen' })
    expect(await ann.call(contract.chat.cancel)).toEqual({
      ok: true,
      cancelled: true,
      cancelled_count: 1,
      warning: null,
    })
    await requests[0]?.closed
    expect(requests[0]?.outcome).toBe('aborted')
    const result = await sent
    expect(result).toMatchObject({ cancelled: true, warning: null, answer: 'Half a sent', approvals: [] })
    expect(result).not.toHaveProperty('ai_mode')
    const answer = await lastAnswer(ann, result.conversation_id)
    expect(answer.status).toBe('cancelled')
    expect(answer.parts.map((part) => part.type)).toEqual(['reasoning', 'text', 'notice'])
    expect(noticesOf(answer)).toEqual(['run_cancelled'])
    await expectAllEnded(answer.run_id ?? '')
    expect(await ann.call(contract.chat.cancel)).toEqual(NOTHING)
    // The conversation is free again.
    expect(await say(ann, 'hello', { conversation_id: result.conversation_id })).toMatchObject({
      answer: 'Understood.',
    })
  })

  test('an engine that has not answered at all is let go', async () => {
    const ann = await stage.as('ann')
    const requests = stage.play('crocus', [[{ hang: true }]])
    const { run_id } = await begin(ann, 'crocus')
    await until(() => requests.length === 1, { what: 'the engine is asked' })
    expect(await ann.call(contract.chat.cancel)).toMatchObject({ cancelled_count: 1 })
    await requests[0]?.closed
    await expectAllEnded(run_id)
  })

  test.runIf(process.platform === 'linux')(
    'a running tool is stopped with everything it started, and what had not started never does',
    async () => {
      const { client } = await stage.member('operator', ALLOW_COMMANDS)
      const pids = join(stage.dataFolder, 'pids')
      const never = join(stage.dataFolder, 'never')
      const requests = stage.play('daffodil', [
        [
          {
            calls: [
              command(`sleep 600 & echo $$ $! > ${pids}.new; mv ${pids}.new ${pids}; wait`),
              command(`touch ${never}`),
            ],
          },
        ],
      ])
      const sent = say(client, 'daffodil')
      await until(() => existsSync(pids), { what: 'the command runs' })
      const running = (await readFile(pids, 'utf8')).trim().split(' ').map(Number)
      expect(running.map(isAlive)).toEqual([true, true])
      const answer = await client.call(contract.chat.cancel)
      expect(answer).toMatchObject({ cancelled: true, cancelled_count: 1 })
      await until(() => !running.some(isAlive), { what: 'the processes are gone' })
      const result = await sent
      expect(result).toMatchObject({ cancelled: true })
      expect(existsSync(never)).toBe(false)
      expect(requests).toHaveLength(1)
      const stored = await lastAnswer(client, result.conversation_id)
      const [first, second] = partsOf(stored, 'tool_call').map((part) => part.tool_call)
      expect(second?.status).toBe('cancelled')
      expect(second?.duration_ms).toBeNull()
      expect(['cancelled', 'unknown']).toContain(first?.status)
      // Whether a warning is due depends on what is known of the call, and on nothing else.
      const warned = first?.status === 'unknown'
      expect(answer.warning !== null).toBe(warned)
      expect(result).toMatchObject({ warning: answer.warning })
      expect(noticesOf(stored)).toEqual([warned ? 'outcome_unknown' : 'run_cancelled'])
      await expectAllEnded(stored.run_id ?? '')
    },
  )

  test('a waiting run: its cards are cancelled and can no longer be decided', async () => {
    const ann = await stage.as('ann')
    const file = join(stage.dataFolder, 'waiting')
    stage.play('iris', [[{ calls: [command(`echo a >> ${file}`), command(`echo b >> ${file}`)] }]])
    const { approvals, conversation_id } = await say(ann, 'iris')
    await decide(ann, approvals[0]!.approval_id, 'approve')
    expect(await ann.call(contract.chat.cancel, { body: { conversation_id } })).toMatchObject({
      cancelled_count: 1,
      warning: null,
    })
    const { items } = await ann.call(contract.chat.listApprovals, { query: { limit: 2 } })
    expect(items.map((card) => card.status).sort()).toEqual(['approved', 'cancelled'])
    await expect(decide(ann, approvals[1]!.approval_id, 'approve')).rejects.toMatchObject({
      status: 409,
      code: 'approval_closed',
    })
    expect(existsSync(file)).toBe(false)
    const answer = await lastAnswer(ann, conversation_id)
    expect(partsOf(answer, 'tool_call').map((part) => part.tool_call.status)).toEqual(['cancelled', 'cancelled'])
    await expectAllEnded(answer.run_id ?? '')
  })

  test('a run that waits for its own card is cancelled as well', async () => {
    const { client } = await stage.member('asked', [{ subject: 'codex.use', effect: 'ask' }])
    const { approvals } = await say(client, 'snowdrop')
    expect(await client.call(contract.chat.cancel)).toMatchObject({ cancelled_count: 1 })
    await expect(decide(client, approvals[0]!.approval_id, 'approve')).rejects.toMatchObject({
      code: 'approval_closed',
    })
    await expectAllEnded(approvals[0]!.run_id)
  })

  test('one conversation only, then all the rest; somebody else’s runs go on', async () => {
    const [{ client: cal }, { client: dan }] = [await stage.member('cal'), await stage.member('dan')]
    const open = gate()
    stage.play('orchid', () => [{ text: 'Still' }, { wait: open }, { text: ' here.' }])
    const [first, second, third, foreign] = [
      await begin(cal, 'orchid'),
      await begin(cal, 'orchid'),
      await begin(cal, 'orchid'),
      await begin(dan, 'orchid'),
    ]
    const one = { body: { conversation_id: first.conversation_id } }
    expect(await cal.call(contract.chat.cancel, { body: { conversation_id: foreign.conversation_id } })).toEqual(
      NOTHING,
    )
    expect(await cal.call(contract.chat.cancel, one)).toMatchObject({ cancelled_count: 1 })
    expect((await cal.call(contract.chat.listRuns)).items.map((run) => run.run_id)).toEqual([
      second.run_id,
      third.run_id,
    ])
    expect(await cal.call(contract.chat.cancel, one)).toEqual(NOTHING)
    expect(await cal.call(contract.chat.cancel)).toMatchObject({ cancelled_count: 2 })
    for (const { run_id } of [first, second, third]) await expectAllEnded(run_id)
    open.open()
    await until(async () => (await lastAnswer(dan, foreign.conversation_id)).status === 'complete')
    expect(partsOf(await lastAnswer(dan, foreign.conversation_id), 'text')[0]?.text).toBe('Still here.')
  })

  test('ten cancels at once, and one while the answer ends: every run is in one final state', async () => {
    const ann = await stage.as('ann')
    const open = gate()
    stage.play('peony', [[{ text: 'Nearly' }, { wait: open }, { text: ' done.' }]])
    const { run_id, conversation_id } = await begin(ann, 'peony')
    await open.reached
    open.open()
    const all = await Promise.all(Array.from({ length: 10 }, () => ann.call(contract.chat.cancel)))
    const { status } = await lastAnswer(ann, conversation_id)
    const cancelled = status === 'cancelled'
    if (!cancelled) expect(status).toBe('complete')
    for (const answer of all) if (!cancelled) expect(answer.cancelled).toBe(false)
    const told = (await ann.call(contract.chat.activity)).events.filter((event) => event.run_id === run_id)
    const ends = told
      .map((event) => event.type)
      .filter((type) => ['run.completed', 'run.cancelled', 'run.failed'].includes(type))
    expect(ends).toEqual([cancelled ? 'run.cancelled' : 'run.completed'])
  })
})

/** False for a process that has ended and that nobody has collected yet: for a grandchild that is up to the machine. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
