import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { Approval } from '../contract/chat.ts'
import { idAt } from '../server/kernel/id.ts'
import { decide, openStage, say, type Member, type Stage } from './stage/chat-stage.ts'
import { until } from './stage/wait.ts'
import { databases } from './stage/servers/postgres.ts'

const ASKS = ['write', 'undo_write'].map((tool) => ({ subject: `tool:files.${tool}`, effect: 'ask' as const }))

describe.each(databases)('what calls change, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function asks(member: Member, tool: string, input: object, conversation_id: string | null = null) {
    const result = await say(member.client, `/files.${tool} ${JSON.stringify(input)}`, { conversation_id })
    expect(result.approvals).toHaveLength(1)
    return { card: result.approvals[0]!, conversation_id: result.conversation_id }
  }

  async function approve(member: Member, card: Pick<Approval, 'approval_id'>) {
    const { result } = await decide(member.client, card.approval_id, 'approve')
    return result!
  }

  async function put(member: Member, name: string, text: string): Promise<string> {
    const headers = { 'x-file-name': encodeURIComponent(name) }
    return (await member.client.call(contract.files.upload, { body: Buffer.from(text), headers })).file.file_id
  }

  async function content(member: Member, file_id: string): Promise<string> {
    const answer = await member.client.call(contract.files.download, { params: { file_id } })
    return answer.text()
  }

  const changes = async (member: Member, query: object = {}) =>
    (await member.client.call(contract.chat.listChanges, { query })).items

  test('a file that is changed: the card has the diff, the call is verified, undo is a call with its own card', async () => {
    const member = await stage.member('editor', ASKS)
    const file_id = await put(member, 'notes.txt', 'one\ntwo\nthree\n')
    const { card, conversation_id } = await asks(member, 'write', {
      name: 'notes.txt',
      text: 'one\n2\nthree\n',
      replaces: file_id,
    })
    expect(card.preview).toEqual({
      problem: null,
      parts: [{ kind: 'diff', title: 'notes.txt', text: '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three', more_lines: 0 }],
    })
    expect(await content(member, file_id)).toBe('one\ntwo\nthree\n')
    const done = await approve(member, card)
    expect(done.tool_calls_executed[0]).toMatchObject({ status: 'done', verified: { outcome: 'verified' } })
    expect(await content(member, file_id)).toBe('one\n2\nthree\n')
    const [change] = await changes(member)
    expect(change).toMatchObject({
      name: 'notes.txt',
      state: 'undoable',
      may_undo: true,
      host: 'local',
      conversation_id,
    })
    const read = await member.client.call(contract.chat.readChange, { params: { change_id: change!.change_id } })
    expect(read.diff).toBe('@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n')

    const undo = await member.client.call(contract.chat.undoChange, { params: { change_id: change!.change_id } })
    expect(undo.conversation_id).toBe(conversation_id)
    const [undoing] = await pending(member)
    expect(undoing!.preview?.parts[0]?.text).toBe('@@ -1,3 +1,3 @@\n one\n-2\n+two\n three')
    await approve(member, undoing!)
    expect(await content(member, file_id)).toBe('one\ntwo\nthree\n')
    expect((await changes(member)).map(({ state, is_undo }) => [state, is_undo])).toEqual([
      ['final', true],
      ['undone', false],
    ])
    await expect(
      member.client.call(contract.chat.undoChange, { params: { change_id: change!.change_id } }),
    ).rejects.toMatchObject({ status: 409, code: 'change_not_undoable' })
  })

  async function pending(member: Member) {
    await until(async () => (await list(member)).length > 0)
    return list(member)
  }
  const list = async (member: Member) =>
    (await member.client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items

  test('a new file: all of it is added, and undo puts it into the bin', async () => {
    const member = await stage.member('maker', ASKS)
    const { card } = await asks(member, 'write', { name: 'new.txt', text: 'a\nb' })
    expect(card.preview?.parts[0]).toMatchObject({ kind: 'diff', title: 'new.txt' })
    expect(card.preview?.parts[0]?.text).toBe('@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file')
    const done = await approve(member, card)
    expect(done.tool_calls_executed[0]?.verified?.outcome).toBe('verified')
    const [change] = await changes(member)
    expect(change).toMatchObject({ before_hash: null, name: 'new.txt', state: 'undoable' })
    await member.client.call(contract.chat.undoChange, { params: { change_id: change!.change_id } })
    await approve(member, (await pending(member))[0]!)
    expect((await member.client.call(contract.files.list)).items).toEqual([])
  })

  test('a file that was changed between card and call: superseded, and the new card shows what is there now', async () => {
    const member = await stage.member('racer', ASKS)
    const file_id = await put(member, 'raced.txt', 'one\n')
    const first = await asks(member, 'write', { name: 'raced.txt', text: 'mine\n', replaces: 'raced.txt' })
    const second = await asks(member, 'write', { name: 'raced.txt', text: 'other\n', replaces: file_id })
    await approve(member, second.card)
    const { approvals } = await approve(member, first.card)
    expect(approvals).toHaveLength(1)
    expect(approvals[0]!.approval_id).not.toBe(first.card.approval_id)
    expect(approvals[0]!.reason).toMatch(/^The situation has changed since it was approved/)
    expect(approvals[0]!.preview?.parts[0]?.text).toBe('@@ -1,1 +1,1 @@\n-other\n+mine')
    expect(await content(member, file_id)).toBe('other\n')
    await approve(member, approvals[0]!)
    expect(await content(member, file_id)).toBe('mine\n')
    // The first of two changes is not taken back under the second.
    const [newest, older] = await changes(member)
    expect([newest!.state, older!.state]).toEqual(['undoable', 'superseded'])
    await expect(
      member.client.call(contract.chat.undoChange, { params: { change_id: older!.change_id } }),
    ).rejects.toMatchObject({ code: 'change_not_undoable' })
    // Called by hand, the tool itself refuses: what is there is not what that change left.
    const direct = await say(member.client, `/files.undo_write {"change":"${older!.change_id}"}`)
    expect(direct.approvals[0]!.preview?.problem).toMatch(/changed since/)
    await approve(member, direct.approvals[0]!)
    expect(await content(member, file_id)).toBe('mine\n')
    // One after the other, both go back.
    for (const id of [newest!.change_id, older!.change_id]) {
      await member.client.call(contract.chat.undoChange, { params: { change_id: id } })
      await approve(member, (await pending(member))[0]!)
    }
    expect(await content(member, file_id)).toBe('one\n')
  })

  test('too large to keep: the hash is, and nothing takes it back', async () => {
    const member = await stage.member('heavy', [{ subject: 'tool:files.*', effect: 'allow' }])
    const file_id = await put(member, 'large.txt', 'x'.repeat(1024 * 1024 + 1))
    await say(member.client, `/files.write ${JSON.stringify({ name: 'large.txt', text: 'small', replaces: file_id })}`)
    const [change] = await changes(member)
    expect(change).toMatchObject({ state: 'final', may_undo: false })
    expect(change!.before_hash).toMatch(/^[0-9a-f]{64}$/)
    const { diff } = await member.client.call(contract.chat.readChange, { params: { change_id: change!.change_id } })
    expect(diff).toBeNull()
  })

  test('others do not see it; whoever reads the audit log sees all, filtered and page by page, and cannot undo', async () => {
    const member = await stage.member('owner', [{ subject: 'tool:files.*', effect: 'allow' }])
    const other = await stage.member('other', [{ subject: 'tool:files.*', effect: 'allow' }])
    for (const name of ['a.txt', 'b.txt', 'c.txt'])
      await say(member.client, `/files.write ${JSON.stringify({ name, text: name })}`)
    const [change] = await changes(member)
    expect(await changes(other)).toEqual([])
    for (const route of [contract.chat.readChange, contract.chat.undoChange] as const)
      await expect(
        other.client.call(route as typeof contract.chat.readChange, { params: { change_id: change!.change_id } }),
      ).rejects.toMatchObject({ status: 404 })
    const admin = await stage.as('admin')
    const all = await admin.call(contract.chat.listChanges, {
      query: { user_id: member.user_id, tool: 'files.write', host: 'local', limit: 2 },
    })
    expect(all).toMatchObject({ all: true, keep_days: 30 })
    expect(all.items.map(({ name, may_undo, conversation_id }) => [name, may_undo, conversation_id])).toEqual([
      ['c.txt', false, null],
      ['b.txt', false, null],
    ])
    expect(await admin.call(contract.chat.readChange, { params: { change_id: change!.change_id } })).toMatchObject({
      diff: null,
      withheld: true,
    })
    const rest = await admin.call(contract.chat.listChanges, {
      query: { user_id: member.user_id, limit: 2, cursor: all.next_cursor! },
    })
    expect(rest).toMatchObject({ items: [{ name: 'a.txt' }], next_cursor: null })
    expect((await admin.call(contract.chat.listChanges, { query: { tool: 'http' } })).items).toEqual([])
    const audit = await admin.call(contract.accounts.audit, { query: { tool: 'files.write' } })
    expect(audit.items[0]?.details).toMatchObject({ verified: 'verified' })
    await admin.call(contract.accounts.deleteUser, { params: { user_id: member.user_id } })
    expect((await admin.call(contract.chat.listChanges, { query: { user_id: member.user_id } })).items).toEqual([])
  })

  test('what is older than 30 days goes, with what it could be taken back to', async () => {
    const member = await stage.member('keeper', [{ subject: 'tool:files.*', effect: 'allow' }])
    for (const name of ['old.txt', 'new.txt'])
      await say(member.client, `/files.write ${JSON.stringify({ name, text: name })}`)
    const [, old] = await changes(member)
    const { db, chat } = stage.app
    const long = `${idAt('change', Date.now() - 31 * 24 * 3_600_000)}${'0'.repeat(18)}`
    await db.write.updateTable('change').set({ change_id: long }).where('change_id', '=', old!.change_id).execute()
    expect((await changes(member)).map(({ name }) => name)).toEqual(['new.txt', 'old.txt'])
    await chat.changes.dropOld(new AbortController().signal)
    expect((await changes(member)).map(({ name }) => name)).toEqual(['new.txt'])
  })
})
