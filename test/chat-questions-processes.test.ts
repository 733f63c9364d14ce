import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askingModule } from './stage/modules/asking-module.ts'
import { lastAnswer, openStage, partsOf, type Member, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { answer, asked, heard, pendingOf, SCHEMA } from './stage/chat/question-stage.ts'
import { until } from './stage/wait.ts'

/** Processes of one installation have one key. */
const SECRET = { REEVE_SECRET_KEY: 'b2'.repeat(32) }

describe.each(databases.filter(({ name }) => name === 'postgres'))('questions between two processes', (database) => {
  let stage: Stage
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(database, { env: SECRET, builtins: [askingModule] })
    ann = await stage.member('ann', [{ subject: 'tool:asker.*', effect: 'allow' }])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const beside = (): Promise<TestProcess> =>
    startProcess({ database: { ...database, url: () => Promise.resolve(stage.databaseUrl) }, env: SECRET })

  test.each([
    ['a read has failed', 'ask', 'failed'],
    ['anything else is unknown', 'act', 'unknown'],
  ])('the process that waits is taken for dead: the card closes, and %s', async (_what, tool, status) => {
    const { card, run_id, conversation_id } = await asked(ann.client, { schema: SCHEMA }, tool)
    const dead = { lease_owner: 'another machine', lease_expires_at: 1 }
    await stage.app.db.write.updateTable('run').set(dead).where('run_id', '=', run_id).execute()
    await using other = await beside()
    const there = await other.signIn('ann')
    await until(async () => (await pendingOf(there)).length === 0)
    await expect(answer(there, card.approval_id, { name: 'Ann' })).rejects.toMatchObject({ code: 'approval_closed' })
    const [part] = partsOf(await lastAnswer(there, conversation_id), 'tool_call')
    expect([part!.tool_call.status, part!.questions[0]!.status]).toEqual([status, 'cancelled'])
  })

  test('another process on the same database takes the answer', async () => {
    await using other = await beside()
    const there = await other.signIn('ann')
    const { card, conversation_id } = await asked(ann.client)
    const { result } = await answer(there, card.approval_id, { name: 'Ann' })
    expect(result).toMatchObject({ approvals: [], tool_calls_executed: [{ status: 'done' }] })
    expect(await heard(ann.client, conversation_id)).toMatchObject([{ action: 'accept', content: { name: 'Ann' } }])
  })
})
