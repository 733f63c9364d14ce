import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { begin, messagesOf, openStage, say, textOf, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

const MISSING = 'cnv_00000000000000000000000000'
const { chat } = contract

describe.each(databases)('conversations on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const idsOf = (list: { items: { conversation_id: string }[] }): string[] =>
    list.items.map((item) => item.conversation_id)

  test('nothing yet: an empty list, an empty history', async () => {
    const { client } = await stage.member('fresh')
    expect(await client.call(chat.listConversations)).toEqual({
      items: [],
      folders: [],
      query: '',
      current_conversation_id: null,
      next_cursor: null,
    })
    const { session_id } = await client.call(contract.accounts.session)
    expect(await client.call(chat.history)).toEqual({
      session_id,
      conversation_id: null,
      title: null,
      messages: [],
      approvals: [],
      next_before: null,
    })
  })

  test('newest first by what happened last; rename and pin do not move it', async () => {
    const { client } = await stage.member('order')
    const [a, b, c] = [await say(client, 'a'), await say(client, 'b'), await say(client, 'c')].map(
      (result) => result.conversation_id,
    )
    await say(client, 'again', { conversation_id: a })
    expect(idsOf(await client.call(chat.listConversations))).toEqual([a, c, b])
    const params = { conversation_id: b! }
    const changed = await client.call(chat.updateConversation, { params, body: { title: '  Renamed  ', pinned: true } })
    expect(changed).toEqual({
      ok: true,
      conversation_id: b,
      title: 'Renamed',
      pinned: true,
      engine: null,
      modules: null,
    })
    expect(await client.call(chat.updateConversation, { params, body: {} })).toMatchObject({
      title: 'Renamed',
      pinned: true,
    })
    const { items } = await client.call(chat.listConversations)
    expect(items.map(({ title, pinned, active_run }) => [title, pinned, active_run])).toEqual([
      ['a', false, null],
      ['c', false, null],
      ['Renamed', true, null],
    ])
    // What a person named stays named.
    await say(client, 'a new first line', { conversation_id: b })
    expect((await client.call(chat.conversation, { params })).title).toBe('Renamed')
    await expect(client.call(chat.updateConversation, { params, body: { title: ' ' } })).rejects.toMatchObject({
      status: 422,
    })
    await expect(
      client.call(chat.updateConversation, { params, body: { title: 'x'.repeat(201) } }),
    ).rejects.toMatchObject({ status: 422 })
  })

  test('pages over conversations of the same moment are complete and do not overlap', async () => {
    const { client, user_id } = await stage.member('pager')
    const made = []
    for (let n = 0; n < 11; n++) made.push((await client.call(chat.reset)).conversation_id)
    const { write } = stage.app.db
    await write
      .updateTable('conversation')
      .set({ updated_at: 1_700_000_000_000 })
      .where('user_id', '=', user_id)
      .execute()
    for (const limit of [1, 3, 11, 200]) {
      const listed: string[] = []
      let cursor: string | undefined
      do {
        const page = await client.call(chat.listConversations, { query: { limit, cursor } })
        expect(page.items.length).toBeLessThanOrEqual(limit)
        listed.push(...idsOf(page))
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      expect(listed).toEqual([...made].reverse())
    }
    for (const query of [{ limit: 0 }, { limit: 201 }, { cursor: "1.cnv_x' or 1=1" }]) {
      await expect(client.call(chat.listConversations, { query })).rejects.toMatchObject({ status: 422 })
    }
  })

  test('the bin: not listed, not read, not found; restored it is as before', async () => {
    const { client } = await stage.member('binner')
    const { conversation_id } = await say(client, 'keep me')
    const params = { conversation_id }
    const before = await client.call(chat.conversation, { params })
    const deleted = await client.call(chat.deleteConversation, { params })
    expect(deleted).toEqual({ ok: true, deleted: conversation_id, current_conversation_id: null })
    expect(idsOf(await client.call(chat.listConversations))).toEqual([])
    expect(idsOf(await client.call(chat.listConversations, { query: { deleted: 'true' } }))).toEqual([conversation_id])
    expect(idsOf(await client.call(chat.listConversations, { query: { q: 'keep' } }))).toEqual([])
    expect((await client.call(chat.history)).conversation_id).toBeNull()
    await expect(client.call(chat.conversation, { params })).rejects.toMatchObject({ status: 404 })
    await expect(client.call(chat.deleteConversation, { params })).rejects.toMatchObject({ status: 404 })
    await client.call(chat.restoreConversation, { params })
    expect(await client.call(chat.conversation, { params })).toEqual(before)
    await expect(client.call(chat.restoreConversation, { params })).rejects.toMatchObject({ status: 404 })
  })

  test('what is not the caller’s does not exist, on every route', async () => {
    const [ann, bob] = [await stage.as('ann'), await stage.as('bob')]
    const own = (await say(bob, 'private matter')).conversation_id
    const { folder } = await bob.call(chat.createFolder, { body: { name: 'Bob' } })
    const before = await bob.call(chat.conversation, { params: { conversation_id: own } })
    const message_id = before.messages[0]!.message_id
    for (const conversation_id of [own, MISSING]) {
      const params = { conversation_id }
      for (const attempt of [
        () => ann.call(chat.conversation, { params }),
        () => ann.call(chat.message, { params: { conversation_id, message_id } }),
        () => ann.call(chat.updateConversation, { params, body: { title: 'mine' } }),
        () => ann.call(chat.deleteConversation, { params }),
        () => ann.call(chat.restoreConversation, { params }),
        () => ann.call(chat.openConversation, { params }),
        () => ann.call(chat.assignFolder, { params, body: { folder_id: null } }),
      ]) {
        await expect(attempt()).rejects.toMatchObject({ status: 404, code: 'not_found' })
      }
    }
    await expect(ann.call(chat.deleteFolder, { params: { folder_id: folder.folder_id } })).rejects.toMatchObject({
      status: 404,
    })
    expect(idsOf(await ann.call(chat.listConversations, { query: { q: 'private matter' } }))).toEqual([])
    expect(await bob.call(chat.conversation, { params: { conversation_id: own } })).toEqual(before)
  })

  test('each session has a current conversation of its own; a token too', async () => {
    const { client: first } = await stage.member('sessions')
    const second = await stage.signIn('sessions')
    const { token } = await first.call(contract.accounts.createToken, { body: { name: 'script' } })
    const script = stage.anonymous()
    script.bearer = token
    const all = [first, second, script]
    const made = []
    for (const client of all) made.push((await say(client, 'mine', { conversation_id: undefined })).conversation_id)
    expect(new Set(made).size).toBe(3)
    const currentOf = async () =>
      Promise.all(all.map(async (client) => (await client.call(chat.history)).conversation_id))
    expect(await currentOf()).toEqual(made)
    const opened = await first.call(chat.openConversation, { params: { conversation_id: made[1]! } })
    expect(opened).toMatchObject({
      ok: true,
      conversation_id: made[1],
      title: 'mine',
      next_before: null,
      approvals: [],
    })
    expect(opened.messages).toEqual(await messagesOf(first, made[1]!))
    expect(await currentOf()).toEqual([made[1], made[1], made[2]])
    // Deleting what several have open leaves all of them with nothing open.
    await second.call(chat.deleteConversation, { params: { conversation_id: made[1]! } })
    expect(await currentOf()).toEqual([null, null, made[2]])
    const reset = await script.call(chat.reset)
    expect(await currentOf()).toEqual([null, null, reset.conversation_id])
    expect((await script.call(chat.listConversations)).current_conversation_id).toBe(reset.conversation_id)
  })

  test('while a run is active: delete, open and reset are 409, reading and renaming are free', async () => {
    const { client } = await stage.member('busy')
    const other = (await say(client, 'quiet one')).conversation_id
    const open = gate()
    stage.play('heron', [[{ wait: open }, { text: 'Done.' }]])
    const { conversation_id, run_id } = await begin(client, 'heron')
    const conflict = { status: 409, code: 'run_active' }
    await expect(client.call(chat.deleteConversation, { params: { conversation_id } })).rejects.toMatchObject(conflict)
    await expect(client.call(chat.openConversation, { params: { conversation_id: other } })).rejects.toMatchObject(
      conflict,
    )
    await expect(client.call(chat.reset)).rejects.toMatchObject(conflict)
    await client.call(chat.openConversation, { params: { conversation_id } })
    await client.call(chat.updateConversation, { params: { conversation_id }, body: { title: 'Busy' } })
    const { items } = await client.call(chat.listConversations)
    expect(items.map((item) => item.active_run)).toEqual([{ run_id, status: 'thinking' }, null])
    expect((await client.call(chat.conversation, { params: { conversation_id } })).active_run).toEqual({
      run_id,
      status: 'thinking',
    })
    // Another session is not bound to it.
    const second = await stage.signIn('busy')
    await second.call(chat.openConversation, { params: { conversation_id: other } })
    await second.call(chat.deleteConversation, { params: { conversation_id: other } })
    open.open()
    await until(async () => (await client.call(chat.listRuns)).items.length === 0)
    await client.call(chat.reset)
    await client.call(chat.deleteConversation, { params: { conversation_id } })
  })

  test('history pages backwards, complete and without overlap', async () => {
    const { client } = await stage.member('reader')
    const { conversation_id } = await client.call(chat.reset)
    for (let n = 0; n < 7; n++) await say(client, `message ${n}`, { conversation_id })
    const whole = await messagesOf(client, conversation_id)
    expect(
      whole.filter((message) => message.role === 'user').map((message) => (message.parts[0] as { text: string }).text),
    ).toEqual(Array.from({ length: 7 }, (_, n) => `message ${n}`))
    for (const limit of [1, 4, 5, 14]) {
      const pages = []
      let before: string | undefined
      do {
        const page = await client.call(chat.history, { query: { limit, before } })
        expect(page.messages.length).toBeLessThanOrEqual(limit)
        pages.unshift(page.messages)
        before = page.next_before ?? undefined
      } while (before !== undefined)
      expect(pages).toHaveLength(Math.ceil(14 / limit))
      expect(pages.flat()).toEqual(whole)
    }
  })

  test('fifty people send into fifty conversations at once: every one gets their own answer', async () => {
    const { client } = await stage.member('crowd')
    stage.play('plover', (request) => {
      const [, number] = /plover (\d+)/.exec(textOf(request.messages.at(-1)?.content)) ?? []
      return [{ text: `You are ${number}.`, each: 'word' }]
    })
    const results = await Promise.all(Array.from({ length: 50 }, (_, n) => say(client, `plover ${n}`)))
    expect(results.map((result) => result.answer)).toEqual(Array.from({ length: 50 }, (_, n) => `You are ${n}.`))
    expect(new Set(results.map((result) => result.conversation_id)).size).toBe(50)
    const { items } = await client.call(chat.listConversations, { query: { limit: 200 } })
    expect(items).toHaveLength(50)
    for (const { conversation_id } of results.slice(0, 5))
      expect(await messagesOf(client, conversation_id)).toHaveLength(2)
  })
})
