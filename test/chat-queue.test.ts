import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, command, decide, messagesOf, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import { atRest, codeOf, queue, queueOf, textsOf } from './stage/chat/queue-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('messages queued while a run is active ($name)', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** A conversation whose run waits at a gate. */
  async function running(name: string) {
    const held = gate()
    stage.play(`slow ${name}`, () => [{ wait: held }, { text: `Answer to ${name}.` }])
    const { client, ...member } = await stage.member(`queue-${name}`)
    const { conversation_id } = await begin(client, `slow ${name}`)
    await held.reached
    return { client, member: { client, ...member }, held, conversation_id }
  }

  test('they are sent one after the other, in their order, once the run is done', async () => {
    const { client, held, conversation_id } = await running('order')
    const first = await queue(client, conversation_id, 'First question')
    await queue(client, conversation_id, 'Second question')
    expect(first).toMatchObject({ message: 'First question', held: false, problem: null, attachments: [] })
    expect((await queueOf(client, conversation_id)).map(({ message }) => message)).toEqual([
      'First question',
      'Second question',
    ])
    expect(await textsOf(client, conversation_id)).toEqual(['user: slow order'])
    held.open()
    await atRest(client, conversation_id)
    expect(await textsOf(client, conversation_id)).toEqual([
      'user: slow order',
      'assistant: Answer to order.',
      'user: First question',
      'assistant: Understood.',
      'user: Second question',
      'assistant: Understood.',
    ])
    expect(
      await codeOf(
        client.call(contract.chat.editQueued, {
          params: { conversation_id, queued_id: first.queued_id },
          body: { message: 'Too late' },
        }),
      ),
    ).toBe('queued_sent')
    expect(
      await codeOf(
        client.call(contract.chat.removeQueued, { params: { conversation_id, queued_id: first.queued_id } }),
      ),
    ).toBe('queued_sent')
    expect(
      await codeOf(client.call(contract.chat.sendQueued, { params: { conversation_id, queued_id: first.queued_id } })),
    ).toBe('queued_sent')
  })

  test('one can be changed and removed, and each change is told', async () => {
    const { client, held, conversation_id } = await running('change')
    const { cursor } = await client.call(contract.chat.activity)
    const one = await queue(client, conversation_id, 'One')
    const two = await queue(client, conversation_id, 'Two')
    const params = { conversation_id, queued_id: one.queued_id }
    const { queued } = await client.call(contract.chat.editQueued, { params, body: { message: 'One, better' } })
    expect(queued).toMatchObject({ queued_id: one.queued_id, message: 'One, better', held: false })
    await client.call(contract.chat.removeQueued, { params: { conversation_id, queued_id: two.queued_id } })
    const { events } = await client.call(contract.chat.activity)
    const told = events.filter((event) => event.id > cursor && event['queued'] === true)
    expect(told.map(({ type }) => type)).toEqual(Array(4).fill('conversation.updated'))
    expect(
      await codeOf(client.call(contract.chat.removeQueued, { params: { conversation_id, queued_id: two.queued_id } })),
    ).toBe('not_found')
    held.open()
    await atRest(client, conversation_id)
    expect((await textsOf(client, conversation_id)).filter((text) => text.startsWith('user'))).toEqual([
      'user: slow change',
      'user: One, better',
    ])
  })

  test('one can be moved before another or to the end, and each move is told', async () => {
    const { client: ann, held, conversation_id } = await running('moves')
    const ids: string[] = []
    for (const text of ['one', 'two', 'three']) ids.push((await queue(ann, conversation_id, text)).queued_id)
    const [one, two, three] = ids as [string, string, string]
    const order = async () => (await queueOf(ann, conversation_id)).map(({ message }) => message)
    const move = async (queued_id: string, before: string | null) => {
      const params = { conversation_id, queued_id }
      const { items } = await ann.call(contract.chat.moveQueued, { params, body: { before } })
      expect(items.map(({ message }) => message)).toEqual(await order())
    }
    await move(three, one)
    expect(await order()).toEqual(['three', 'one', 'two'])
    await move(three, null)
    expect(await order()).toEqual(['one', 'two', 'three'])
    await move(two, two)
    await move(two, one)
    expect(await order()).toEqual(['two', 'one', 'three'])
    expect(await codeOf(move(one, 'que_nothing'))).toBe('not_found')
    expect(await codeOf(move('que_nothing', one))).toBe('not_found')
    const params = { conversation_id, queued_id: one }
    const { client: other } = await stage.member('queue-moves-other')
    expect(await codeOf(other.call(contract.chat.moveQueued, { params, body: { before: null } }))).toBe('not_found')
    await queue(ann, conversation_id, 'four')
    held.open()
    await atRest(ann, conversation_id)
    const said = (await textsOf(ann, conversation_id)).filter((text) => text.startsWith('user: '))
    expect(said).toEqual(['user: slow moves', 'user: two', 'user: one', 'user: three', 'user: four'])
  })

  test('a stop keeps them: they are sent when their owner says so', async () => {
    const { client, conversation_id } = await running('stopped')
    const one = await queue(client, conversation_id, 'One')
    await queue(client, conversation_id, 'Two')
    await client.call(contract.chat.cancel, { body: { conversation_id } })
    expect((await queueOf(client, conversation_id)).map(({ held, problem }) => ({ held, problem }))).toEqual([
      { held: true, problem: null },
      { held: true, problem: null },
    ])
    await stage.app.chat.queueSender.sweep()
    expect(await queueOf(client, conversation_id)).toHaveLength(2)
    // A message of its own does not set the others going.
    await say(client, 'In between', { conversation_id })
    expect(await queueOf(client, conversation_id)).toHaveLength(2)
    const params = { conversation_id, queued_id: one.queued_id }
    const { run_id } = await client.call(contract.chat.sendQueued, { params })
    expect(run_id).not.toBeNull()
    await until(async () => (await textsOf(client, conversation_id)).at(-1) === 'assistant: Understood.')
    expect((await queueOf(client, conversation_id)).map(({ message }) => message)).toEqual(['Two'])
  })

  test('so does a run that failed; and one queued after it is held as well', async () => {
    const held = gate()
    stage.play('fail this', () => [{ wait: held }, { status: 400, body: { error: { message: 'no' } } }])
    const { client } = await stage.member('queue-failed')
    const { conversation_id } = await begin(client, 'fail this')
    await held.reached
    await queue(client, conversation_id, 'One')
    held.open()
    await until(async () => (await queueOf(client, conversation_id))[0]?.held)
    expect(await queue(client, conversation_id, 'Two')).toMatchObject({ held: true })
  })

  test('sent by its owner while another run is active, it waits for that', async () => {
    const { client, conversation_id } = await running('again')
    const { queued_id } = await queue(client, conversation_id, 'One')
    await client.call(contract.chat.cancel, { body: { conversation_id } })
    const held = gate()
    stage.play('slow second', () => [{ wait: held }, { text: 'Second.' }])
    await begin(client, 'slow second', { conversation_id })
    await held.reached
    const params = { conversation_id, queued_id }
    expect(await client.call(contract.chat.sendQueued, { params })).toMatchObject({ run_id: null })
    expect(await queueOf(client, conversation_id)).toMatchObject([{ held: false }])
    held.open()
    await atRest(client, conversation_id)
    expect((await textsOf(client, conversation_id)).slice(-2)).toEqual(['user: One', 'assistant: Understood.'])
  })

  test('a run that waits for an approval is not at rest', async () => {
    stage.play('ask me', [[{ calls: [command('true')] }], [{ text: 'Done.' }]])
    const { client } = await stage.member('queue-waiting', [
      { subject: 'tool:system.run_command', effect: 'ask', approvers: [] },
    ])
    const { approvals, conversation_id } = await say(client, 'ask me')
    await queue(client, conversation_id, 'Afterwards')
    await stage.app.chat.queueSender.sweep()
    expect(await queueOf(client, conversation_id)).toMatchObject([{ held: false }])
    await decide(client, approvals[0]!.approval_id, 'deny')
    await atRest(client, conversation_id)
    expect((await textsOf(client, conversation_id)).slice(-2)).toEqual(['user: Afterwards', 'assistant: Understood.'])
  })

  test('rules are those of the moment of sending: a refusal is shown, and keeps it and what follows', async () => {
    const { client, member, held, conversation_id } = await running('refused')
    await queue(client, conversation_id, 'One')
    await queue(client, conversation_id, 'Two')
    await stage.setRules(member, [{ subject: 'files.read', effect: 'deny' }])
    held.open()
    await until(async () => (await queueOf(client, conversation_id))[0]?.problem)
    const [one, two] = await queueOf(client, conversation_id)
    expect(one).toMatchObject({ held: true, problem: { code: 'forbidden' } })
    expect(one!.problem!.detail).toContain('files.read')
    expect(two).toMatchObject({ held: true, problem: null })
    await stage.setRules(member, [])
    const params = { conversation_id, queued_id: one!.queued_id }
    await client.call(contract.chat.sendQueued, { params })
    await until(async () => (await queueOf(client, conversation_id)).length === 1)
  })

  test('an attachment goes with it, and one that is gone by then is the reason it stays', async () => {
    const { client, held, conversation_id } = await running('files')
    const upload = (name: string) =>
      client.call(contract.files.upload, { body: 'hello', headers: { 'x-file-name': name } }).then(({ file }) => file)
    const [kept, gone] = [await upload('kept.txt'), await upload('gone.txt')]
    const one = await queue(client, conversation_id, 'One', { attachment_ids: [kept.file_id] })
    expect(one.attachments).toMatchObject([{ name: 'kept.txt' }])
    await queue(client, conversation_id, 'Two', { attachment_ids: [gone.file_id] })
    await client.call(contract.files.remove, { params: { file_id: gone.file_id } })
    held.open()
    await until(async () => (await queueOf(client, conversation_id))[0]?.problem)
    expect(await queueOf(client, conversation_id)).toMatchObject([{ message: 'Two', problem: { code: 'not_found' } }])
    const sent = (await messagesOf(client, conversation_id)).findLast(({ role }) => role === 'user')!
    expect(partsOf(sent, 'file')).toMatchObject([{ file: { name: 'kept.txt' } }])
  })

  test('a sign-in that has ended sends nothing', async () => {
    const { client, held, conversation_id } = await running('signed-out')
    await queue(client, conversation_id, 'One')
    const other = await stage.signIn('queue-signed-out')
    await client.call(contract.accounts.logout)
    held.open()
    await until(async () => (await queueOf(other, conversation_id))[0]?.problem)
    const [one] = await queueOf(other, conversation_id)
    expect(one).toMatchObject({ problem: { code: 'not_signed_in' } })
    await other.call(contract.chat.sendQueued, { params: { conversation_id, queued_id: one!.queued_id } })
    await atRest(other, conversation_id)
  })

  test('ten fit, an eleventh is refused with its code, and nobody else sees any', async () => {
    const { client, held, conversation_id } = await running('many')
    for (let i = 1; i <= 10; i++) await queue(client, conversation_id, `Number ${i}`)
    expect(await codeOf(queue(client, conversation_id, 'Number 11'))).toBe('queue_full')
    expect(await queueOf(client, conversation_id)).toHaveLength(10)
    const stranger = await stage.as('admin')
    const { queued_id } = (await queueOf(client, conversation_id))[0]!
    const params = { conversation_id, queued_id }
    expect(await codeOf(queueOf(stranger, conversation_id))).toBe('not_found')
    expect(await codeOf(queue(stranger, conversation_id, 'Mine'))).toBe('not_found')
    expect(await codeOf(stranger.call(contract.chat.editQueued, { params, body: { message: 'x' } }))).toBe('not_found')
    expect(await codeOf(stranger.call(contract.chat.removeQueued, { params }))).toBe('not_found')
    expect(await codeOf(stranger.call(contract.chat.sendQueued, { params }))).toBe('not_found')
    await client.call(contract.chat.cancel, { body: { conversation_id } })
    // Nothing is sent by itself out of the bin, and all is gone with the conversation.
    await client.call(contract.chat.deleteConversation, { params: { conversation_id } })
    await client.call(contract.chat.purgeConversation, { params: { conversation_id } })
    const left = () =>
      stage.app.db.read
        .selectFrom('queued_message')
        .selectAll()
        .where('conversation_id', '=', conversation_id)
        .execute()
    await until(async () => (await left()).length === 0, { what: 'the queued messages are erased' })
    held.open()
  })

  test('a repeated request queues once', async () => {
    const { client, held, conversation_id } = await running('repeated')
    const headers = { 'idempotency-key': 'a key' }
    const one = await queue(client, conversation_id, 'One', { headers })
    expect(await queue(client, conversation_id, 'One', { headers })).toEqual(one)
    expect(await codeOf(queue(client, conversation_id, 'Another', { headers }))).toBe('idempotency_mismatch')
    expect(await queueOf(client, conversation_id)).toHaveLength(1)
    held.open()
    await atRest(client, conversation_id)
    expect(await codeOf(queue(client, conversation_id, 'One', { headers }))).toBe('queued_sent')
  })

  test('queued after the run was done, it is sent at once', async () => {
    const { client } = await stage.member('queue-late')
    const { conversation_id } = await say(client, 'Hello')
    await queue(client, conversation_id, 'Late')
    await atRest(client, conversation_id)
    expect((await textsOf(client, conversation_id)).slice(-2)).toEqual(['user: Late', 'assistant: Understood.'])
  })
})
