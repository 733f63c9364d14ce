import { expect, test, describe } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { decide, lastAnswer, partsOf, say } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('a failure between a change and its record, on $name', (database) => {
  test('the call is unknown, nothing is done twice, and nothing claims that it can be undone', async () => {
    let failing = false
    await using app = await startTestApp({
      database,
      observe(sql) {
        if (failing && sql.startsWith('insert into "change"')) throw new Error('the disk is full (a fault of the test)')
      },
    })
    const admin = await app.as('admin')
    const headers = { 'x-file-name': 'notes.txt' }
    const { file } = await admin.call(contract.files.upload, { headers, body: Buffer.from('one\n') })
    const { file_id } = file
    const content = async () => (await admin.call(contract.files.download, { params: { file_id } })).text()
    const input = JSON.stringify({ name: 'notes.txt', text: 'two\n', replaces: file_id })
    const { approvals, conversation_id } = await say(admin, `/files.write ${input}`)
    failing = true
    await decide(admin, approvals[0]!.approval_id, 'approve').catch(() => undefined)
    const answer = await until(async () => {
      const newest = await lastAnswer(admin, conversation_id)
      return newest.status !== 'streaming' && newest
    })
    expect(partsOf(answer, 'tool_call')[0]?.tool_call.status).toBe('unknown')
    expect(await content()).toBe('two\n')
    expect((await admin.call(contract.chat.listChanges, { query: {} })).items).toEqual([])
    failing = false
    // What is known again is written and taken back as ever.
    const next = await say(
      admin,
      `/files.write ${JSON.stringify({ name: 'notes.txt', text: 'three\n', replaces: file_id })}`,
    )
    expect(next.approvals[0]!.preview?.parts[0]?.text).toContain('-two\n+three')
    await decide(admin, next.approvals[0]!.approval_id, 'approve')
    expect((await admin.call(contract.chat.listChanges, { query: {} })).items).toMatchObject([{ state: 'undoable' }])
    expect(await content()).toBe('three\n')
  })
})
