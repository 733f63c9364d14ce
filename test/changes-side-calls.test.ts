import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, decide, lastAnswer, noticesOf, openStage, say, type Member, type Stage } from './stage/chat-stage.ts'
import { fickleModule } from './stage/modules/fickle-module.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const ASKS = [{ subject: 'tool:fickle.change', effect: 'ask' as const }]

describe.each(databases)('previews and verifications that do not behave, on $name', (database) => {
  const fickle = fickleModule()
  let stage: Stage
  let member: Member
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, builtins: [fickle.module] })
    member = await stage.member('judge', ASKS)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const asked = async (preview: string, verify = 'ok') =>
    (await say(member.client, `/fickle.change ${JSON.stringify({ preview, verify })}`)).approvals[0]!
  const approve = async (approval_id: string) => (await decide(member.client, approval_id, 'approve')).result!

  test.each([
    ['hangs', /within 1 s/],
    ['fails', /^The \\u\{202e\}disk.* is asleep\.$/],
    ['lies', /not a preview/],
    ['huge', /too large/],
  ])('one that %s: the card says that there is none and why, and the call still runs', async (how, why) => {
    const card = await asked(how)
    expect(card.preview).toEqual({ problem: expect.stringMatching(why) as unknown, parts: [] })
    const { tool_calls_executed } = await approve(card.approval_id)
    expect(tool_calls_executed).toMatchObject([{ status: 'done' }])
    expect(fickle.done.at(-1)).toBe(`${how} -`)
  })

  test('what it hides is shown, what is too long is counted', async () => {
    const hides = await asked('hides')
    expect(hides.preview?.parts[0]?.text).toBe('- a\\u{202e}b<script>\n+ c\ufffd')
    const long = await asked('long')
    expect(long.preview?.parts[0]).toMatchObject({ more_lines: 3000 })
    expect(long.preview?.parts[0]?.text.split('\n')).toHaveLength(2000)
  })

  test('the state that was approved reaches the call; another one by then supersedes the card', async () => {
    fickle.now = 'one'
    const card = await asked('ok')
    fickle.now = 'two'
    const { approvals } = await approve(card.approval_id)
    expect(approvals).toMatchObject([{ preview: { parts: [{ text: '+ two' }] } }])
    expect(approvals[0]!.reason).toMatch(/^The situation has changed/)
    expect(fickle.done).not.toContain('ok one')
    await approve(approvals[0]!.approval_id)
    expect(fickle.done.at(-1)).toBe('ok two')
  })

  test('one that is never the same twice: after five cards the call is refused', async () => {
    let card = await asked('differs')
    for (let i = 0; i < 5; i++) card = (await approve(card.approval_id)).approvals[0]!
    const last = await approve(card.approval_id)
    expect(last.approvals).toEqual([])
    expect(last.answer).toContain('different each time')
    expect(fickle.done.filter((one) => one.startsWith('differs'))).toEqual([])
  })

  test('verified, did not take, not looked up: on the call, for the model, and in the audit log', async () => {
    const outcomes = []
    for (const verify of ['ok', 'wrong', 'fails']) {
      const { tool_calls_executed, answer } = await approve((await asked('ok', verify)).approval_id)
      outcomes.push(tool_calls_executed[0]!.verified)
      if (verify === 'wrong') expect(answer).toContain('it did not take. Expected: port 80. Found: port 8080')
    }
    expect(outcomes).toEqual([
      { outcome: 'verified', expected: 'port 80', found: 'port 80' },
      { outcome: 'did_not_take', expected: 'port 80', found: 'port 8080' },
      { outcome: 'not_checked', expected: '', found: 'No answer.' },
    ])
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.accounts.audit, {
      query: { tool: 'fickle.change', action: 'tool.called' },
    })
    expect(items.slice(0, 3).map(({ details }) => details['verified'])).toEqual([
      'not_checked',
      'did_not_take',
      'verified',
    ])
  })

  test('a run that is stopped while a preview hangs ends without a card', async () => {
    const before = fickle.previews.length
    const { conversation_id } = await begin(member.client, '/fickle.change {"preview":"hangs"}')
    await until(() => fickle.previews.length > before)
    await member.client.call(contract.chat.cancel, { body: { conversation_id } })
    const answer = await lastAnswer(member.client, conversation_id)
    expect(answer.status).toBe('cancelled')
    expect(noticesOf(answer)).toEqual(['run_cancelled'])
    expect(
      (await member.client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items.filter(
        (card) => card.conversation_id === conversation_id,
      ),
    ).toEqual([])
  })

  test('helpers are offered to nobody, and one that a rule denies is not called', async () => {
    const { items } = await member.client.call(contract.chat.listTools)
    expect(items.filter(({ module }) => module === 'fickle').map(({ tool }) => tool)).toEqual(['change'])
    const strict = await stage.member('strict', [
      ...ASKS,
      { subject: 'tool:fickle.preview_change', effect: 'deny' as const },
    ])
    const before = fickle.previews.length
    const { approvals } = await say(strict.client, '/fickle.change {"preview":"ok"}')
    expect(approvals[0]!.preview?.problem).toMatch(/deny/)
    expect(fickle.previews).toHaveLength(before)
  })
})
