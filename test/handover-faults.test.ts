import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { begin, messagesOf, say } from './stage/chat-stage.ts'
import { upload } from './stage/databases/backup-stage.ts'
import { accept, colleague, handoversOf, offer, withdraw } from './stage/handover-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { startScriptedModel } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

const { chat } = contract
const WRITES = /^(insert|update|delete)/
const answer = () => [{ text: 'Understood.' }]

describe.each(databases)('taking a conversation over happens whole or not at all ($name)', (database) => {
  test('whichever write fails, nothing is half taken over, and the next try takes it', async () => {
    let failAt = Infinity
    let writes = 0
    await using model = await startScriptedModel(answer)
    await using service = await startTestApp({
      database,
      model,
      observe: (sql) => {
        if (failAt === Infinity || !WRITES.test(sql)) return
        if (++writes === failAt) throw new Error('a fault of the test')
      },
    })
    const admin = await service.as('admin')
    const giver = { client: admin }
    const taker = await colleague(admin, service.signIn)
    const file = await upload(admin, 'list.txt', 'One, two.')
    const { conversation_id } = await say(admin, 'Hand this over', { attachment_ids: [file] })
    const { handover_id } = await offer(giver, taker, conversation_id)
    const { read, write } = service.app.db
    const copies = async () =>
      (await taker.client.call(chat.listConversations, { query: {} })).items.map((item) => item.conversation_id)
    let taken = false
    for (let n = 1; !taken; n++) {
      failAt = n
      writes = 0
      const outcome = await accept(taker, handover_id).then(
        () => 'taken',
        () => 'failed',
      )
      // What comes after the commit is no part of it: it may fail, and the conversation is taken over.
      const there = writes < n
      failAt = Infinity
      const [state] = await handoversOf(taker)
      taken = state!.status === 'accepted'
      expect({ n, whole: taken, copies: (await copies()).length }).toEqual({ n, whole: taken, copies: taken ? 1 : 0 })
      const original = await admin.call(chat.conversation, { params: { conversation_id } })
      expect('handed_over' in original).toBe(taken)
      if (there) expect(outcome).toBe('taken')
      if (taken) break
      // What is left of it is the sweep's, and nobody sees it meanwhile.
      await write.updateTable('conversation_import').set({ lease_expires_at: 1, lease_owner: 'gone' }).execute()
      await service.app.chat.bin.purgeOld()
      expect((await taker.client.call(contract.files.list, {})).items).toEqual([])
      expect((await read.selectFrom('conversation').selectAll().execute()).length).toBe(1)
      expect(n).toBeLessThan(100)
    }
    const [copy_id] = await copies()
    expect(await messagesOf(taker.client, copy_id!)).toHaveLength(2)
    expect((await taker.client.call(contract.files.list, {})).items).toHaveLength(1)
  })

  test('accepted and withdrawn at once, or accepted twice: one outcome', async () => {
    await using model = await startScriptedModel(answer)
    await using service = await startTestApp({ database, model })
    const admin = await service.as('admin')
    const giver = { client: admin }
    const taker = await colleague(admin, service.signIn)
    let copies = 0
    for (let round = 0; round < 6; round++) {
      const { conversation_id } = await say(admin, `Round ${round}`)
      const { handover_id } = await offer(giver, taker, conversation_id)
      const [took, back] = await Promise.allSettled([accept(taker, handover_id), withdraw(giver, handover_id)])
      expect([took.status, back.status].sort()).toEqual(['fulfilled', 'rejected'])
      for (const each of [took, back])
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'handover_closed' })
      if (took.status === 'fulfilled') copies++
      const listed = (await taker.client.call(chat.listConversations, { query: {} })).items
      expect(listed).toHaveLength(copies)

      const twice = await say(admin, `Twice ${round}`)
      const { handover_id: id } = await offer(giver, taker, twice.conversation_id)
      const both = await Promise.allSettled([accept(taker, id), accept(taker, id)])
      const ids = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value.conversation_id] : []))
      expect(new Set(ids).size).toBe(1)
      for (const each of both)
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'import_running' })
      copies++
      expect((await taker.client.call(chat.listConversations, { query: {} })).items).toHaveLength(copies)
    }
  })

  test('accepted while a message is sent: it is in the copy whole, or nothing was taken, or it was refused', async () => {
    await using model = await startScriptedModel(answer)
    await using service = await startTestApp({ database, model })
    const admin = await service.as('admin')
    const giver = { client: admin }
    const taker = await colleague(admin, service.signIn)
    for (let round = 0; round < 10; round++) {
      const { conversation_id } = await say(admin, `Round ${round}`)
      const { handover_id } = await offer(giver, taker, conversation_id)
      const [took, sent] = await Promise.allSettled([
        accept(taker, handover_id),
        begin(admin, 'One more', { conversation_id }),
      ])
      await until(async () => {
        const { active_run } = await admin.call(chat.conversation, { params: { conversation_id } })
        return active_run === null
      })
      expect([took.status, sent.status]).toContain('fulfilled')
      if (took.status === 'rejected') expect(took.reason).toMatchObject({ code: 'run_active' })
      if (sent.status === 'rejected') expect(sent.reason).toMatchObject({ code: 'handed_over' })
      const messages = await messagesOf(admin, conversation_id)
      expect(messages).toHaveLength(sent.status === 'fulfilled' ? 4 : 2)
      // A run that was over before it was taken over has left its message and the whole answer.
      if (took.status === 'fulfilled')
        expect((await messagesOf(taker.client, took.value.conversation_id!)).map(textsOf)).toEqual(
          messages.map(textsOf),
        )
    }
  })

  test('a storage quota that is used up refuses it, and nothing comes along', async () => {
    await using model = await startScriptedModel(answer)
    await using service = await startTestApp({ database, model, env: { REEVE_QUOTA: '1KiB' } })
    const admin = await service.as('admin')
    const taker = await colleague(admin, service.signIn)
    const file = await upload(admin, 'half.txt', 'x'.repeat(600))
    const mine = await upload(taker.client, 'mine.txt', 'y'.repeat(600))
    const { conversation_id } = await say(admin, 'Too much', { attachment_ids: [file] })
    const { handover_id } = await offer({ client: admin }, taker, conversation_id)
    await expect(accept(taker, handover_id)).rejects.toMatchObject({ status: 413, code: 'quota_exceeded' })
    expect((await taker.client.call(contract.files.list, {})).items.map((item) => item.file_id)).toEqual([mine])
    expect((await taker.client.call(chat.listConversations, { query: {} })).items).toEqual([])
    await taker.client.fetch(`/api/files/${mine}`, { method: 'DELETE' })
    expect(await handoversOf(taker, 'offered')).toHaveLength(1)
    await say(admin, 'Still mine', { conversation_id })
  })
})

function textsOf({ parts }: Awaited<ReturnType<typeof messagesOf>>[number]): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}
