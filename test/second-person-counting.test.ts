import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { contradictions } from '../server/receipts/check-receipt.ts'
import { Receipt, RECEIPT_TYPE } from '../server/receipts/documents.ts'
import { publicKey } from '../server/receipts/signing-key.ts'
import { verifyDocument } from '../server/receipts/verify-document.ts'
import { command, decide, say } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { cardOf, openVotesStage, over, RUN, vote, type VotesStage } from './stage/votes-stage.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('votes that count, and no longer, on $name', (database) => {
  let stage: VotesStage
  beforeAll(async () => {
    stage = await openVotesStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(['disabled', 'moved'] as const)('a voter %s before the call runs: superseded, a new card', async (how) => {
    const cue = how === 'disabled' ? 'ensign' : 'fender'
    const { member, approvals, conversation_id } = await stage.waiting(cue, 1, 2)
    const name = `voter-${how}`
    const { client: voter, user_id } = await stage.person(name, stage.leads)
    await vote(voter, approvals[0]!.approval_id)
    expect(await cardOf(member, approvals[0]!.approval_id)).toMatchObject({ status: 'approved' })
    const { items } = await stage.admin.call(contract.accounts.listRoles)
    const elsewhere = items.find((role) => role.name === 'user')!.role_id
    const body = how === 'disabled' ? { disabled: true } : { role_id: elsewhere }
    await stage.admin.call(contract.accounts.updateUser, { params: { user_id }, body })
    await vote(stage.lea, approvals[1]!.approval_id, 'deny')
    const renewed = await until(
      async () => (await member.client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items[0],
      { what: 'there is a new card' },
    )
    expect(renewed.approval_id).not.toBe(approvals[0]!.approval_id)
    expect(renewed).toMatchObject({ needs: [{ given: 0 }], votes: [] })
    expect(await cardOf(member, approvals[0]!.approval_id)).toMatchObject({ status: 'superseded' })
    expect(existsSync(stage.fileOf(cue))).toBe(false)
    await expect(vote(stage.lea, approvals[0]!.approval_id)).rejects.toMatchObject({ code: 'approval_closed' })
    await vote(stage.lea, renewed.approval_id)
    await over(member, conversation_id)
    expect(await readFile(stage.fileOf(cue), 'utf8')).toBe('ran\n')
  })

  test('a hundred votes at once: one run', async () => {
    const { member, id, conversation_id } = await stage.waiting('gangway', 3)
    const clients = Array.from({ length: 100 }, (_, i) => [stage.lea, stage.leo, stage.lou, member.client][i % 4]!)
    const said = await Promise.allSettled(clients.map((client) => vote(client, id)))
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(75)
    await over(member, conversation_id)
    expect(await readFile(stage.fileOf('gangway'), 'utf8')).toBe('ran\n')
    const { items } = await stage.admin.call(contract.accounts.audit, { query: { target: id, limit: 50 } })
    expect(items.map(({ action }) => action).toSorted()).toEqual([
      'approval.approved',
      ...Array.from({ length: 3 }, () => 'approval.voted'),
    ])
  })

  test('the last vote against a denial: one outcome', async () => {
    for (const cue of ['halyard', 'hawser', 'helm']) {
      const { member, id, conversation_id } = await stage.waiting(cue, 2)
      await vote(stage.lea, id)
      const said = await Promise.allSettled([vote(stage.leo, id), vote(stage.lou, id, 'deny')])
      const won = said.filter(({ status }) => status === 'fulfilled')
      expect(won).toHaveLength(1)
      await over(member, conversation_id)
      const { status } = await cardOf(member, id)
      expect(status).toBe(said[0].status === 'fulfilled' ? 'approved' : 'denied')
      expect(existsSync(stage.fileOf(cue))).toBe(status === 'approved')
    }
  })

  test('a rule that comes to need somebody else supersedes what the person approved', async () => {
    const member = await stage.member('lubber')
    stage.play('ladder', [[{ calls: [command('true'), command('true')] }], [{ text: 'Over.' }]])
    const { approvals } = await say(member.client, 'ladder')
    await decide(member.client, approvals[0]!.approval_id, 'approve')
    await stage.setRules(member, [{ subject: RUN, effect: 'ask', approvers: [{ role_id: stage.leads, count: 1 }] }])
    const { result } = await decide(member.client, approvals[1]!.approval_id, 'deny')
    expect(result?.approvals).toMatchObject([{ needs: [{ role: 'leads' }], decisions: ['deny'] }])
    expect(await cardOf(member, approvals[0]!.approval_id)).toMatchObject({ status: 'superseded' })
    await decide(member.client, result!.approvals[0]!.approval_id, 'deny')
  })

  test('when time is up it is over, and voting says so', async () => {
    const { id, member, conversation_id } = await stage.waiting('oar', 1)
    await stage.app.db.write
      .updateTable('approval')
      .set({ expires_at: Date.now() - 1 })
      .where('approval_id', '=', id)
      .execute()
    await expect(vote(stage.lea, id)).rejects.toMatchObject({ status: 409, code: 'approval_expired' })
    await over(member, conversation_id)
    expect(existsSync(stage.fileOf('oar'))).toBe(false)
  })

  test('the receipt tells who had to agree and who did, and holds together', async () => {
    const { id, member, conversation_id } = await stage.waiting('sextant', 2)
    await vote(stage.lea, id, 'approve', 'Checked.')
    await vote(stage.leo, id)
    await over(member, conversation_id)
    const text = await (await member.client.fetch(`/api/chat/approvals/${id}/receipt`)).text()
    const { items } = await stage.anonymous().call(contract.receipts.signingKeys)
    const trust = { keys: items.map(({ public_key }) => publicKey(public_key)), fingerprints: [] }
    const result = verifyDocument(Buffer.from(text), { type: RECEIPT_TYPE, schema: Receipt }, trust)
    if (!('document' in result)) throw new Error(result.problem)
    expect(result.verdict).toBe('valid')
    expect(contradictions(result.document)).toEqual([])
    expect(result.document.approval).toMatchObject({
      decided_by: { username: 'leo' },
      needs: [{ role_id: stage.leads, role: 'leads', count: 2 }],
      votes: [
        { by: { username: 'lea' }, decision: 'approve', reason: 'Checked.' },
        { by: { username: 'leo' }, decision: 'approve', reason: null },
      ],
    })
    const { approval } = result.document
    const forged = { ...approval, votes: [{ ...approval.votes![0]!, decision: 'deny' as const }] }
    expect(contradictions({ ...result.document, approval: forged })).toEqual([
      'No audit entry tells of the vote of lea.',
    ])
    expect((await stage.lea.fetch(`/api/chat/approvals/${id}/receipt`)).status).toBe(404)
  })

  test('votes go with the conversation, and with the person who cast them', async () => {
    const { id, member, conversation_id } = await stage.waiting('rudder', 2)
    const gone = await stage.person('gone', stage.leads)
    await vote(gone.client, id)
    await vote(stage.lea, id)
    const votes = () => stage.app.db.read.selectFrom('vote').select('user_id').where('subject_id', '=', id).execute()
    expect(await votes()).toHaveLength(2)
    await over(member, conversation_id)
    await stage.admin.call(contract.accounts.deleteUser, { params: { user_id: gone.user_id } })
    await until(async () => (await votes()).length === 1, { what: 'the vote of who is gone is gone' })
    expect(await cardOf(member, id)).toMatchObject({ status: 'approved', needs: [{ given: 2 }] })
    const params = { conversation_id }
    await member.client.call(contract.chat.deleteConversation, { params })
    await member.client.call(contract.chat.purgeConversation, { params })
    await until(async () => (await votes()).length === 0, { what: 'no vote is left' })
  })
})
