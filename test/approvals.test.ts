import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TestClient } from './stage/client.ts'
import { command, decide, lastAnswer, openStage, partsOf, say, toolResults, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const MISSING = 'apr_00000000000000000000000000'

describe.each(databases)('approvals on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(database)
    ann = await stage.as('ann')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** A run that waits with one card for each script. */
  async function asked(cue: string, scripts: readonly string[], more: { conversation_id?: string } = {}) {
    const requests = stage.play(cue, [[{ calls: scripts.map(command) }], [{ text: 'All done.' }]])
    const result = await say(ann, cue, more)
    const cards = result.approvals.map((card) => card.approval_id)
    expect(cards).toHaveLength(scripts.length)
    return { requests, cards, conversation_id: result.conversation_id, result }
  }
  const fileOf = (name: string): string => join(stage.dataFolder, name)
  const linesOf = async (name: string): Promise<string[]> => (await readFile(fileOf(name), 'utf8')).trim().split('\n')

  test('the card says what would run, who is asked and until when; nothing runs before', async () => {
    const script = `touch ${fileOf('early')}`
    const { result, conversation_id } = await asked('mercury', [script])
    const [card] = result.approvals
    expect(card).toMatchObject({
      conversation_id,
      status: 'pending',
      module: 'system',
      tool: 'run_command',
      title: 'Run a command',
      effect: 'destructive',
      arguments: { command: script, shell: true },
      usual_arguments: ['deadline_s'],
      decisions: ['approve', 'deny'],
      offers: [{ offer_id: 'same', kind: 'exact', loosened: null, max_uses: 20, max_minutes: 60 }],
      decided_at: null,
      decided_by: null,
    })
    expect(card?.summary).toContain(script)
    expect(card?.reason).toContain('has the rule “tool:system.run_command: ask”')
    expect(Date.parse(card!.expires_at) - Date.parse(card!.requested_at)).toBe(24 * 3_600_000)
    const answer = await lastAnswer(ann, conversation_id)
    expect(answer.status).toBe('waiting_approval')
    expect(partsOf(answer, 'tool_call')).toMatchObject([{ tool_call: { status: 'awaiting_approval' }, approval: card }])
    expect(existsSync(fileOf('early'))).toBe(false)
  })

  test('five calls are five cards, decided in any order; the result comes with the last', async () => {
    const { cards, requests, conversation_id } = await asked(
      'venus',
      [1, 2, 3, 4, 5].map((n) => `echo ${n} >> ${fileOf('five')}`),
    )
    expect(new Set(cards).size).toBe(5)
    const order = [3, 0, 4, 1, 2]
    for (const i of order.slice(0, -1)) {
      const { result, approval } = await decide(ann, cards[i]!, i === 1 ? 'deny' : 'approve')
      expect(result).toBeNull()
      expect(approval).toMatchObject({
        approval_id: cards[i],
        status: i === 1 ? 'denied' : 'approved',
        decided_by: 'ann',
      })
      expect(existsSync(fileOf('five'))).toBe(false)
    }
    const { result } = await decide(ann, cards[2]!, 'approve')
    expect(result).toMatchObject({ answer: 'All done.', approvals: [] })
    expect(await linesOf('five')).toEqual(['1', '3', '4', '5'])
    expect(result?.tool_calls_executed.map((call) => call.status)).toEqual(['done', 'done', 'done', 'done'])
    expect(toolResults(requests[1])[1]).toBe('The person denied this call.')
    const calls = partsOf(await lastAnswer(ann, conversation_id), 'tool_call')
    expect(calls.map((part) => [part.tool_call.status, part.approval?.status])).toEqual([
      ['done', 'approved'],
      ['denied', 'denied'],
      ['done', 'approved'],
      ['done', 'approved'],
      ['done', 'approved'],
    ])
  })

  test('two calls of the same tool with the same arguments: only the second is approved, so it runs once', async () => {
    const script = `echo same >> ${fileOf('same')}`
    const { cards } = await asked('earth', [script, script])
    await decide(ann, cards[1]!, 'approve')
    const { result } = await decide(ann, cards[0]!, 'deny')
    expect(result?.tool_calls_executed).toHaveLength(1)
    expect(await linesOf('same')).toEqual(['same'])
  })

  test('why it was denied is told to the engine', async () => {
    const { cards, requests } = await asked('mars', [`touch ${fileOf('denied')}`])
    const { result, approval } = await decide(ann, cards[0]!, 'deny', { reason: 'Not on a Friday.' })
    expect(result).toMatchObject({ answer: 'All done.', tool_calls_executed: [] })
    expect(approval).toMatchObject({ decided_by: 'ann', decided_by_name: 'ann', decision_reason: 'Not on a Friday.' })
    expect(toolResults(requests[1])).toEqual(['The person denied this call and says: Not on a Friday.'])
    expect(existsSync(fileOf('denied'))).toBe(false)
  })

  test('who decided is told by the name that they have now', async () => {
    const { cards } = await asked('pluto', [`touch ${fileOf('named')}`])
    await decide(ann, cards[0]!, 'deny')
    const admin = await stage.as('admin')
    const { user } = await ann.call(contract.accounts.session)
    await admin.call(contract.accounts.updateUser, {
      params: { user_id: user.id },
      body: { display_name: 'Ann Lee' },
    })
    const { items } = await ann.call(contract.chat.listApprovals, { query: { limit: 1 } })
    expect(items).toMatchObject([{ decided_by: 'ann', decided_by_name: 'Ann Lee', decision_reason: null }])
    const { messages } = await ann.call(contract.chat.history)
    const part = messages.at(-1)?.parts.find((one) => one.type === 'tool_call')
    expect(part?.approval).toMatchObject({ decided_by: 'ann', decided_by_name: 'Ann Lee' })
    expect(part).not.toHaveProperty('direct')
  })

  test('the same decision twice is 200 and changes nothing, another one is 409', async () => {
    const { cards } = await asked('jupiter', [`echo ran >> ${fileOf('twice')}`])
    const first = await decide(ann, cards[0]!, 'approve')
    const second = await decide(ann, cards[0]!, 'approve')
    expect(second.approval).toEqual(first.approval)
    expect(second.result).toEqual(first.result)
    for (const decision of ['deny', 'approve_for_conversation'] as const) {
      await expect(decide(ann, cards[0]!, decision)).rejects.toMatchObject({ status: 409, code: 'already_decided' })
    }
    expect(await linesOf('twice')).toEqual(['ran'])
  })

  test('a hundred parallel approvals run the call once', async () => {
    const { cards } = await asked('saturn', [`echo ran >> ${fileOf('hundred')}`])
    const all = await Promise.all(Array.from({ length: 100 }, () => decide(ann, cards[0]!, 'approve')))
    for (const { result } of all) expect(result).toMatchObject({ answer: 'All done.' })
    expect(await linesOf('hundred')).toEqual(['ran'])
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'approval.approved' } })
    expect(items.filter((entry) => entry.target === cards[0])).toHaveLength(1)
  })

  test('approve and deny at once: one of them counts, the others are told', async () => {
    const { cards } = await asked('uranus', [`echo ran >> ${fileOf('race')}`])
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => decide(ann, cards[0]!, i % 2 === 0 ? 'approve' : 'deny')),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 409, code: 'already_decided' })
    const { items } = await ann.call(contract.chat.listApprovals, { query: { limit: 1 } })
    expect(items[0]?.approval_id).toBe(cards[0])
    expect(existsSync(fileOf('race'))).toBe(items[0]?.status === 'approved')
  })

  test('somebody else’s card and one that is not there are the same 404', async () => {
    const { cards } = await asked('neptune', [`touch ${fileOf('foreign')}`])
    const bob = await stage.as('bob')
    const foreign: unknown = await decide(bob, cards[0]!, 'approve').catch((error: unknown) => error)
    const missing: unknown = await decide(bob, MISSING, 'approve').catch((error: unknown) => error)
    expect(foreign).toMatchObject({ status: 404, code: 'not_found' })
    expect((foreign as { problem: unknown }).problem).toEqual((missing as { problem: unknown }).problem)
    // Not even an administrator decides for somebody.
    await expect(decide(await stage.as('admin'), cards[0]!, 'approve')).rejects.toMatchObject({ status: 404 })
    expect((await bob.call(contract.chat.listApprovals)).items).toEqual([])
    const { items } = await ann.call(contract.chat.listApprovals, { query: { limit: 1 } })
    expect(items).toMatchObject([{ approval_id: cards[0], status: 'pending' }])
    expect(existsSync(fileOf('foreign'))).toBe(false)
  })

  test('a script with an access token may ask, never decide', async () => {
    const { token } = await ann.call(contract.accounts.createToken, { body: { name: 'script' } })
    const script = stage.anonymous()
    script.bearer = token
    stage.play('pluto', [[{ calls: [command(`touch ${fileOf('token')}`)] }], [{ text: 'Done.' }]])
    const { approvals } = await say(script, 'pluto')
    await expect(decide(script, approvals[0]!.approval_id, 'approve')).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    })
    expect(existsSync(fileOf('token'))).toBe(false)
    expect((await decide(ann, approvals[0]!.approval_id, 'approve')).result).toMatchObject({ answer: 'Done.' })
    expect(existsSync(fileOf('token'))).toBe(true)
  })

  test('control, bidirectional and invisible characters are shown escaped, and what runs is what was asked for', async () => {
    const { cards, result } = await asked('eris', [`printf 'a\u202eb\u200bc\u0007' > ${fileOf('bidi')}`])
    const [card] = result.approvals
    expect(card?.arguments['command']).toContain('a\\u{202e}b\\u{200b}c\\u{7}')
    expect(JSON.stringify(card)).not.toMatch(/[\u202e\u200b]/)
    const decided = await decide(ann, cards[0]!, 'approve')
    expect(JSON.stringify(decided)).not.toMatch(/[\u202e\u200b]/)
    expect(await readFile(fileOf('bidi'), 'utf8')).toBe('a\u202eb\u200bc\u0007')
  })

  test('every decision stands in the audit log, with who, what and why', async () => {
    const { cards } = await asked('makemake', ['true', 'true'])
    await decide(ann, cards[0]!, 'approve')
    await decide(ann, cards[1]!, 'deny', { reason: 'no need' })
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.accounts.audit, { query: { limit: 20 } })
    const entryOf = (target: string) => items.find((entry) => entry.target === target)
    expect(entryOf(cards[0]!)).toMatchObject({
      action: 'approval.approved',
      actor: 'ann',
      outcome: 'ok',
      details: { decision: 'approve', tool: 'system.run_command' },
    })
    expect(entryOf(cards[1]!)).toMatchObject({
      action: 'approval.denied',
      actor: 'ann',
      outcome: 'refused',
      details: { decision: 'deny', reason: 'no need' },
    })
  })

  test('the list: newest first, by status, page by page', async () => {
    const { client } = await stage.member('lister')
    stage.play('haumea', [[{ calls: Array.from({ length: 7 }, () => command('true')) }], [{ text: 'Done.' }]])
    const { approvals } = await say(client, 'haumea')
    const ids = approvals.map((card) => card.approval_id)
    await decide(client, ids[2]!, 'deny')
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const page = await client.call(contract.chat.listApprovals, { query: { limit: 3, cursor } })
      listed.push(...page.items.map((card) => card.approval_id))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(listed).toEqual([...ids].reverse())
    const byStatus = async (status: 'pending' | 'denied' | 'approved') =>
      (await client.call(contract.chat.listApprovals, { query: { status } })).items.map((card) => card.approval_id)
    expect(await byStatus('denied')).toEqual([ids[2]])
    expect(await byStatus('pending')).toEqual([...ids].reverse().filter((id) => id !== ids[2]))
    expect(await byStatus('approved')).toEqual([])
  })

  test('with Prefer: respond-async a decision does not wait for the run', async () => {
    const { cards, conversation_id } = await asked('sedna', ['true'])
    const { result, approval } = await decide(ann, cards[0]!, 'approve', { headers: { prefer: 'respond-async' } })
    expect(result).toBeNull()
    expect(approval.status).toBe('approved')
    await until(async () => (await lastAnswer(ann, conversation_id)).status === 'complete')
  })
})
