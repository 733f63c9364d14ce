import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { type Member, messagesOf, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { upload } from './stage/databases/backup-stage.ts'
import { forgedFile } from './stage/documents/import-file.ts'
import { accept, handoversOf, offer } from './stage/handover-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const { chat } = contract

describe.each(databases)('what stays of a conversation that was handed over, on $name', (database) => {
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

  test('erasing either person leaves the other what is theirs', async () => {
    const [early, late] = await pair('gale')
    const { conversation_id } = await say(early.client, 'Stays')
    const { handover_id } = await offer(early, late, conversation_id)
    await accept(late, handover_id)
    const other = await say(early.client, 'Open offer')
    await offer(early, late, other.conversation_id)
    await admin.call(contract.accounts.deleteUser, { params: { user_id: late.user_id } })
    expect((await read(early.client, conversation_id)).handed_over).toEqual({ to: null, at: expect.any(String) })
    expect(await handoversOf(early)).toEqual([])
    await expect(say(early.client, 'More', { conversation_id })).rejects.toMatchObject({ code: 'handed_over' })
    await say(early.client, 'This one goes on', { conversation_id: other.conversation_id })

    const [giver, taker] = await pair('gust')
    const given = await say(giver.client, 'Given')
    const { conversation_id: copy_id } = await accept(
      taker,
      (await offer(giver, taker, given.conversation_id)).handover_id,
    )
    await admin.call(contract.accounts.deleteUser, { params: { user_id: giver.user_id } })
    expect(await handoversOf(taker)).toEqual([])
    expect((await read(taker.client, copy_id!)).messages).toHaveLength(2)
    expect(
      await stage.app.db.read
        .selectFrom('handover')
        .select('from_user')
        .where('from_user', '=', giver.user_id)
        .execute(),
    ).toEqual([])
  })

  test('a file that only an imported message names stays with its owner', async () => {
    const [early, late] = await pair('ink')
    const file = await upload(early.client, 'private.txt', 'Not for you.')
    const { conversation_id } = await early.client.call(chat.importConversation, {
      body: forgedFile('x').replaceAll('fil_x', file),
    })
    const { conversation_id: copy_id } = await accept(late, (await offer(early, late, conversation_id)).handover_id)
    expect((await late.client.call(contract.files.list, {})).items).toEqual([])
    expect((await messagesOf(late.client, copy_id!)).map(({ imported }) => imported)).toEqual([true, true])
    expect((await read(late.client, copy_id!)).untrusted).toMatchObject({ kind: 'import' })
  })

  test('a file of which there is no more keeps its label, in the copy and for the engine', async () => {
    const [early, late] = await pair('hull')
    const file = await upload(early.client, 'gone.txt', 'Was here.')
    const { conversation_id } = await say(early.client, 'With a file', { attachment_ids: [file] })
    await early.client.call(contract.files.remove, { params: { file_id: file } })
    const { conversation_id: copy_id } = await accept(late, (await offer(early, late, conversation_id)).handover_id)
    expect((await late.client.call(contract.files.list, {})).items).toEqual([])
    const [message] = await messagesOf(late.client, copy_id!)
    expect(partsOf(message!, 'file')).toMatchObject([{ file: { name: 'gone.txt' } }])
    const requests = stage.play('hull later', [[{ text: 'Yes.' }]])
    await say(late.client, 'hull later', { conversation_id: copy_id })
    expect(JSON.stringify(requests[0]!.messages)).toContain('did not come with it')
  })
})
