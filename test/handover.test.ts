import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openFeed } from './stage/activity-feed.ts'
import {
  begin,
  command,
  decide,
  lastAnswer,
  type Member,
  messagesOf,
  openStage,
  partsOf,
  say,
  type Stage,
  textOf,
} from './stage/chat-stage.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { upload } from './stage/databases/backup-stage.ts'
import { accept, handoversOf, offer, withdraw } from './stage/handover-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'

const { chat } = contract
const WEEK = 7 * 24 * 3_600_000

describe.each(databases)('a conversation is handed over, on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    stage = await openStage(database)
    admin = await stage.as('admin')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const read = (client: TestClient, conversation_id: string) =>
    client.call(chat.conversation, { params: { conversation_id } })
  const pair = async (name: string): Promise<[Member, Member]> => [
    await stage.member(`${name}-early`),
    await stage.member(`${name}-late`),
  ]
  const expire = (handover_id: string) =>
    stage.app.db.write
      .updateTable('handover')
      .set({ expires_at: Date.now() - 1 })
      .where('handover_id', '=', handover_id)
      .execute()
  const auditOf = async (handover_id: string) =>
    (await admin.call(contract.accounts.audit, { query: { target: handover_id } })).items.map((entry) => [
      entry.action,
      entry.actor,
      entry.outcome,
    ])

  test('the receiver gets a copy with its branches, calls and files; the original is only read from then on', async () => {
    const [early, late] = await pair('anchor')
    const file = await upload(early.client, 'watch.txt', 'Pump 3 is loud.')
    stage.play('Look at anchor', [
      [{ calls: [command('echo seen')] }],
      [{ text: 'It is loud.' }],
      [{ text: 'I cannot say.' }],
    ])
    const { conversation_id, approvals } = await say(early.client, 'Look at anchor', { attachment_ids: [file] })
    for (const { approval_id } of approvals) await decide(early.client, approval_id, 'approve')
    const { message_id } = await lastAnswer(early.client, conversation_id)
    await early.client.call(chat.retry, { body: { conversation_id, message_id } })
    await early.client.call(chat.chooseBranch, { params: { conversation_id }, body: { message_id } })
    await early.client.call(chat.updateConversation, { params: { conversation_id }, body: { title: 'Loud pump' } })

    const offered = await offer(early, late, conversation_id, 'Please go on tonight.')
    expect(offered).toMatchObject({
      direction: 'by_me',
      status: 'offered',
      to: { username: 'anchor-late', name: 'anchor-late' },
      title: 'Loud pump',
      conversation_id,
    })
    expect(Date.parse(offered.expires_at) - Date.parse(offered.created_at)).toBe(WEEK)
    const [seen] = await handoversOf(late)
    expect(seen).toMatchObject({
      handover_id: offered.handover_id,
      direction: 'to_me',
      from: { username: 'anchor-early', name: 'anchor-early' },
      title: 'Loud pump',
      messages: 3,
      note: 'Please go on tonight.',
      conversation_id: null,
    })
    await expect(read(late.client, conversation_id)).rejects.toMatchObject({ status: 404 })

    const taken = await accept(late, offered.handover_id)
    expect(taken).toMatchObject({ status: 'accepted', direction: 'to_me', title: 'Loud pump' })
    const copy_id = taken.conversation_id!
    const copy = await read(late.client, copy_id)
    const original = await read(early.client, conversation_id)
    expect(copy.title).toBe('Loud pump')
    expect(copy.messages.map(({ role, handed_over, imported }) => [role, handed_over, imported])).toEqual([
      ['user', true, false],
      ['assistant', true, false],
    ])
    expect(copy.messages[1]!.siblings).toHaveLength(2)
    // The mark is the one that the attachment had set.
    expect(copy.untrusted).toEqual(original.untrusted)
    expect(copy.untrusted).toMatchObject({ kind: 'file', name: 'watch.txt' })
    expect(copy).not.toHaveProperty('handed_over')
    expect(original.handed_over).toEqual({ to: 'anchor-late', at: expect.any(String) })
    // The file is a copy of the receiver's own.
    const [attached] = partsOf(copy.messages[0]!, 'file')
    expect(attached!.file.file_id).not.toBe(file)
    const bytes = await late.client.fetch(`/api/files/${attached!.file.file_id}/download`)
    expect(await bytes.text()).toBe('Pump 3 is loud.')

    // Nothing is added to the original, in no way; everything else stays.
    const refused = { status: 409, code: 'handed_over' }
    const [question, answer] = original.messages
    const { client } = early
    const params = { conversation_id }
    await expect(say(client, 'More', { conversation_id })).rejects.toMatchObject(refused)
    const body = { conversation_id, message_id: answer!.message_id }
    await expect(client.call(chat.retry, { body })).rejects.toMatchObject(refused)
    const edit = { message: 'Other words', conversation_id, edits: question!.message_id }
    await expect(client.call(chat.send, { body: edit })).rejects.toMatchObject(refused)
    await expect(client.call(chat.queueMessage, { params, body: { message: 'Later' } })).rejects.toMatchObject(refused)
    await expect(offer(early, late, conversation_id)).rejects.toMatchObject(refused)
    expect((await client.fetch(`/api/chat/conversations/${conversation_id}/export`)).status).toBe(200)
    const other = answer!.siblings.find((id) => id !== answer!.message_id)!
    await client.call(chat.chooseBranch, { params, body: { message_id: other } })
    expect((await read(client, conversation_id)).messages.at(-1)!.message_id).toBe(other)

    // The receiver goes on: what was said is known to the engine, as the words of somebody else.
    const requests = stage.play('And anchor now?', [[{ text: 'Still loud.' }]])
    await say(late.client, 'And anchor now?', { conversation_id: copy_id })
    const told = requests[0]!.messages.map((message) => textOf(message.content)).join('\n')
    expect(told).toContain('Pump 3 is loud.')
    expect(told).toContain('> system.run_command')
    expect(told).toContain('somebody else has handed over')
    expect(JSON.stringify(requests[0]!.messages)).not.toContain('tool_calls')
    expect((await read(client, conversation_id)).messages).toHaveLength(2)

    expect(await auditOf(offered.handover_id)).toEqual([
      ['handover.accepted', 'anchor-late', 'ok'],
      ['handover.offered', 'anchor-early', 'ok'],
    ])
    // Accepting again finds the same copy.
    expect((await accept(late, offered.handover_id)).conversation_id).toBe(copy_id)
    await client.call(chat.deleteConversation, { params })
    await client.call(chat.purgeConversation, { params })
    expect((await read(late.client, copy_id)).messages).toHaveLength(4)
    expect((await late.client.fetch(`/api/files/${attached!.file.file_id}/download`)).status).toBe(200)
  })

  test('no approval comes along, and what somebody else wrote is not the receiver’s own word', async () => {
    const [early, late] = await pair('buoy')
    const { conversation_id } = await say(early.client, 'Good evening')
    const { handover_id } = await offer(early, late, conversation_id)
    const { conversation_id: copy_id } = await accept(late, handover_id)
    const copy = await read(late.client, copy_id!)
    expect(copy.untrusted).toMatchObject({ kind: 'handover', name: 'buoy-early' })
    expect((await read(early.client, conversation_id)).untrusted).toBeUndefined()
    expect(copy.approvals).toEqual([])
    expect((await late.client.call(chat.listGrants)).items).toEqual([])
  })

  test('declined, withdrawn or expired changes nothing; the receiver is not told what it was afterwards', async () => {
    const [early, late] = await pair('cable')
    const { conversation_id } = await say(early.client, 'Nothing of this')
    const first = await offer(early, late, conversation_id)
    await expect(offer(early, late, conversation_id)).rejects.toMatchObject({ status: 409, code: 'handover_open' })
    const params = { handover_id: first.handover_id }
    await expect(early.client.call(chat.declineHandover, { params })).rejects.toMatchObject({ status: 404 })
    await expect(late.client.call(chat.withdrawHandover, { params })).rejects.toMatchObject({ status: 404 })
    await late.client.call(chat.declineHandover, { params })
    expect((await late.client.call(chat.declineHandover, { params })).handover.status).toBe('declined')
    const second = await offer(early, late, conversation_id)
    expect(await withdraw(early, second.handover_id)).toMatchObject({ status: 'withdrawn' })
    const third = await offer(early, late, conversation_id)
    await expire(third.handover_id)
    const closed = { status: 409, code: 'handover_closed' }
    for (const { handover_id } of [first, second, third]) {
      await expect(accept(late, handover_id)).rejects.toMatchObject(closed)
      await expect(accept(early, handover_id)).rejects.toMatchObject({ status: 404 })
    }
    await expect(withdraw(early, third.handover_id)).rejects.toMatchObject(closed)
    expect((await handoversOf(late)).map(({ status, title, messages }) => [status, title, messages])).toEqual([
      ['expired', null, null],
      ['withdrawn', null, null],
      ['declined', null, null],
    ])
    expect(await handoversOf(late, 'offered')).toEqual([])
    expect(await handoversOf(late, 'expired')).toHaveLength(1)
    // One that has expired is not in the way of another.
    const fourth = await offer(early, late, conversation_id)
    expect(await handoversOf(late, 'offered')).toMatchObject([{ handover_id: fourth.handover_id }])
    await say(early.client, 'It goes on', { conversation_id })
    expect(await auditOf(second.handover_id)).toEqual([
      ['handover.withdrawn', 'cable-early', 'ok'],
      ['handover.offered', 'cable-early', 'ok'],
    ])
    // In the bin, it is not on offer.
    await early.client.call(chat.deleteConversation, { params: { conversation_id } })
    expect(await handoversOf(late, 'offered')).toEqual([])
    await expect(accept(late, fourth.handover_id)).rejects.toMatchObject({ status: 404 })
  })

  test('who cannot take it over is refused in the same words, and that is recorded; oneself is', async () => {
    const [early, late] = await pair('davit')
    const { conversation_id } = await say(early.client, 'To whom?')
    await admin.call(contract.accounts.updateUser, { params: { user_id: late.user_id }, body: { disabled: true } })
    const to = async (username: string): Promise<ProblemAnswer> => {
      const offered = early.client.call(chat.offerHandover, { params: { conversation_id }, body: { username } })
      return offered.then(
        () => Promise.reject(new Error('It was offered.')),
        (error: unknown) => error as ProblemAnswer,
      )
    }
    const [unknown, disabled, myself] = [await to('nobody-here'), await to('davit-late'), await to('davit-early')]
    expect(unknown).toMatchObject({ status: 400, code: 'handover_refused' })
    expect(disabled).toMatchObject({ status: 400, code: 'handover_refused', message: unknown.message })
    expect(myself).toMatchObject({ status: 400, code: 'handover_refused' })
    const { items } = await admin.call(contract.accounts.audit, { query: { target: conversation_id } })
    expect(items.map(({ action, outcome, details }) => [action, outcome, details['to']])).toEqual([
      ['handover.offered', 'refused', 'davit-late'],
      ['handover.offered', 'refused', 'nobody-here'],
    ])
    // Nor is it told by what is said while the conversation is on offer already.
    await early.client.call(chat.offerHandover, { params: { conversation_id }, body: { username: 'admin' } })
    for (const name of ['nobody-here', 'davit-late', 'admin', 'davit-early'])
      expect(await to(name)).toMatchObject({ status: 409, code: 'handover_open' })
    const stranger = await stage.as('ann')
    const theirs = { params: { conversation_id }, body: { username: 'admin' } }
    await expect(stranger.call(chat.offerHandover, theirs)).rejects.toMatchObject({ status: 404 })
    const { token } = await early.client.call(contract.accounts.createToken, { body: { name: 'script' } })
    const script = stage.anonymous()
    script.bearer = token
    await expect(script.call(chat.offerHandover, theirs)).rejects.toMatchObject({ status: 403 })
  })

  test('both are told by events, without the conversation', async () => {
    const [early, late] = await pair('ebb')
    const { conversation_id } = await say(early.client, 'Secret words')
    await using feed = await openFeed(late.client)
    await using own = await openFeed(early.client)
    const { handover_id } = await offer(early, late, conversation_id)
    const told = await feed.find(({ type }) => type === 'handover.changed')
    expect(told).toEqual({ id: told.id, type: 'handover.changed', at: told.at, handover_id, status: 'offered' })
    await accept(late, handover_id)
    await own.find(({ type, status }) => type === 'handover.changed' && status === 'accepted')
    await own.find((event) => event.conversation_id === conversation_id && event['handed_over'] === true)
    expect(JSON.stringify(feed.events)).not.toContain(conversation_id)
  })

  test('while an answer is on its way it is not taken over; afterwards it is', async () => {
    const [early, late] = await pair('ferry')
    const { conversation_id } = await say(early.client, 'Before')
    const { handover_id } = await offer(early, late, conversation_id)
    const held = gate()
    stage.play('slow ferry', [[{ wait: held }, { text: 'At last.' }]])
    await begin(early.client, 'slow ferry', { conversation_id })
    await held.reached
    await expect(accept(late, handover_id)).rejects.toMatchObject({ status: 409, code: 'run_active' })
    expect((await late.client.call(chat.listConversations, { query: {} })).items).toEqual([])
    held.open()
    await expect.poll(async () => (await lastAnswer(early.client, conversation_id)).status).toBe('complete')
    const { conversation_id: copy_id } = await accept(late, handover_id)
    expect((await messagesOf(late.client, copy_id!)).flatMap((each) => partsOf(each, 'text').at(-1)!.text)).toContain(
      'At last.',
    )
  })
})
