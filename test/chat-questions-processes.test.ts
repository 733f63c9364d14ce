import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askingModule } from './asking-module.ts'
import { lastAnswer, openStage, partsOf, type Member, type Stage } from './chat-stage.ts'
import { databases } from './postgres.ts'
import { startProcess } from './process.ts'
import { answer, asked, heard, pendingOf, SCHEMA } from './question-stage.ts'
import { until } from './wait.ts'

describe.each(databases.filter(({ name }) => name === 'postgres'))('questions between two processes', (database) => {
  let stage: Stage
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(database, { builtins: [askingModule] })
    ann = await stage.member('ann', [{ subject: 'tool:asker.*', effect: 'allow' }])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each([
    ['a read has failed', 'ask', 'failed'],
    ['anything else is unknown', 'act', 'unknown'],
  ])('the process that waits is taken for dead: the card closes, and %s', async (_what, tool, status) => {
    const { card, run_id, conversation_id } = await asked(ann.client, { schema: SCHEMA }, tool)
    const dead = { lease_owner: `${hostname()}/4194303/dead`, lease_expires_at: 1 }
    await stage.app.db.read.updateTable('run').set(dead).where('run_id', '=', run_id).execute()
    await using other = await startProcess({ database: { ...database, url: () => Promise.resolve(stage.databaseUrl) } })
    const there = await other.signIn('ann')
    await until(async () => (await pendingOf(there)).length === 0)
    await expect(answer(there, card.approval_id, { name: 'Ann' })).rejects.toMatchObject({ code: 'approval_closed' })
    const [part] = partsOf(await lastAnswer(there, conversation_id), 'tool_call')
    expect([part!.tool_call.status, part!.questions[0]!.status]).toEqual([status, 'cancelled'])
  })

  test('another process on the same database takes the answer', async () => {
    await using other = await startProcess({ database: { ...database, url: () => Promise.resolve(stage.databaseUrl) } })
    const there = await other.signIn('ann')
    const { card, conversation_id } = await asked(ann.client)
    const { result } = await answer(there, card.approval_id, { name: 'Ann' })
    expect(result).toMatchObject({ approvals: [], tool_calls_executed: [{ status: 'done' }] })
    expect(await heard(ann.client, conversation_id)).toMatchObject([{ action: 'accept', content: { name: 'Ann' } }])
  })
})
