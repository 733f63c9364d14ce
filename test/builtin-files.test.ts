import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { z } from 'zod'
import type { Rule } from '../contract/rules.ts'
import type { ChatResult } from '../contract/chat.ts'
import type { TestClient } from './stage/client.ts'
import { decide, lastAnswer, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

type Rules = z.input<typeof Rule>[]

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function upload(client: TestClient, name: string, body: string | Uint8Array): Promise<string> {
  const headers = { 'x-file-name': encodeURIComponent(name) }
  const { file } = await client.call(contract.files.upload, { body: Buffer.from(body), headers })
  return file.file_id
}

/** What a call in direct mode says, with its tables. */
async function tell(client: TestClient, tool: string, input: Record<string, unknown> = {}) {
  const result = await say(client, `/files.${tool} ${JSON.stringify(input)}`)
  const answer = await lastAnswer(client, result.conversation_id)
  const [call] = result.tool_calls_executed
  const rows = partsOf(answer, 'table').flatMap((part) => ('rows' in part.table ? part.table.rows : []))
  return { status: call?.status, text: JSON.stringify(answer.parts), rows, result }
}

describe.each(databases)('the module for files on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    ann = await stage.as('ann')
    const put = async (name: string, body: string | Uint8Array) => (ids[name] = await upload(ann, name, body))
    await put('notes.md', 'first line\nSecond line\r\nthird: Grüße\n')
    await put(
      'zoë 100%.txt',
      Buffer.from([...'Gr', 0xfc, ...'n\n'].map((each) => (typeof each === 'string' ? each.charCodeAt(0) : each))),
    )
    await put('utf16.txt', Buffer.from('\ufeffone\ntwo\n', 'utf16le'))
    await put('pixel.png', PNG)
    await put('blob.bin', Buffer.from(Array.from({ length: 256 }, (_, index) => index)))
    await put('empty.txt', '')
    await put(
      'long.log',
      Array.from({ length: 30_000 }, (_, index) => `line ${index + 1} ${'x'.repeat(20)}`).join('\n'),
    )
    await put('one-line.json', `[${'"needle in a long line",'.repeat(10_000)}1]`)
    await put('same.txt', 'old one')
    ids['newer'] = await upload(ann, 'same.txt', 'new one')
    await upload(await stage.as('bob'), 'notes.md', 'the secret of bob')
    ids['bob'] = await upload(await stage.as('bob'), 'only-bob.txt', 'the secret of bob')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('list: my files, newest first, by part of the name, page by page', async () => {
    const all = await tell(ann, 'list')
    expect(all.rows.map((row) => row['name'])).toEqual([
      'same.txt',
      'same.txt',
      'one-line.json',
      'long.log',
      'empty.txt',
      'blob.bin',
      'pixel.png',
      'utf16.txt',
      'zoë 100%.txt',
      'notes.md',
    ])
    expect((await tell(ann, 'list', { query: 'ZOE 100%' })).rows).toMatchObject([
      { file_id: ids['zoë 100%.txt'], media_type: 'text/plain', size: 5 },
    ])
    expect((await tell(ann, 'list', { query: '%' })).rows).toHaveLength(1)
    expect((await tell(ann, 'list', { query: '\\' })).rows).toEqual([])
    const first = await tell(ann, 'list', { query: 'txt', limit: 3 })
    const cursor = /cursor=(fil_\w+)/.exec(first.text)?.[1]
    const second = await tell(ann, 'list', { query: 'txt', limit: 3, cursor })
    expect([...first.rows, ...second.rows].map((row) => row['name'])).toEqual([
      'same.txt',
      'same.txt',
      'empty.txt',
      'utf16.txt',
      'zoë 100%.txt',
    ])
  })
  test('read: text in its encoding, by name or id, in lines', async () => {
    expect((await tell(ann, 'read', { file: 'notes.md' })).text).toMatch(
      /utf-8.*It has 3 lines.*first line\\nSecond line\\nthird: Grüße/,
    )
    expect((await tell(ann, 'read', { file: ids['zoë 100%.txt'] })).text).toMatch(/windows-1252.*Grün/)
    expect((await tell(ann, 'read', { file: 'utf16.txt', from: 2 })).text).toMatch(/utf-16le.*Lines 2–2.*two/)
    const part = await tell(ann, 'read', { file: 'long.log', from: 29_999, lines: 1 })
    expect(part.text).toMatch(/Lines 29999–29999\. There is more: from=30000\..*line 29999 x/)
    expect((await tell(ann, 'read', { file: 'long.log', from: 40_000 })).text).toContain('there is no line 40000')
    const big = await tell(ann, 'read', { file: 'long.log', lines: 5000 })
    expect(big.text).toMatch(/There is more: from=\d+/)
  })
  test('read: characters of a text with one long line', async () => {
    const first = await tell(ann, 'read', { file: 'one-line.json' })
    expect(first.text).toContain('Very long lines are cut')
    const last = await tell(ann, 'read', { file: 'one-line.json', offset: 240_000 })
    expect(last.text).toMatch(/Characters 240000–240002\. That is its end/)
  })
  test('read: what is no text is said, not shown', async () => {
    expect((await tell(ann, 'read', { file: 'pixel.png' })).text).toContain('It is a picture (image/png)')
    expect((await tell(ann, 'read', { file: 'blob.bin' })).text).toContain('no text')
    expect((await tell(ann, 'read', { file: 'empty.txt' })).text).toContain('It is empty')
  })
  test('read: a name that several files have, and one that none has', async () => {
    const same = await tell(ann, 'read', { file: 'same.txt' })
    expect(same).toMatchObject({
      status: 'failed',
      text: expect.stringContaining(`${ids['newer']}, ${ids['same.txt']}`),
    })
    expect((await tell(ann, 'read', { file: 'nothing.txt' })).status).toBe('failed')
    expect((await tell(ann, 'read', { file: "x' or '1'='1" })).status).toBe('failed')
    expect((await tell(ann, 'read', { file: '../../reeve.db' })).status).toBe('failed')
    expect((await tell(ann, 'read', { file: 'a\0b' })).status).toBe('failed')
  })
  test("somebody else's files are not there", async () => {
    for (const file of ['only-bob.txt', ids['bob']!])
      expect(await tell(ann, 'read', { file })).toMatchObject({ status: 'failed' })
    expect((await tell(ann, 'search', { pattern: 'secret' })).rows).toEqual([])
    expect((await tell(ann, 'list', { query: 'bob' })).rows).toEqual([])
    expect((await tell(await stage.as('bob'), 'search', { pattern: 'SECRET' })).rows).toHaveLength(2)
  })
  test('search: a text and an expression, with line numbers; what is no text is passed over', async () => {
    const found = await tell(ann, 'search', { pattern: 'grü', limit: 10 })
    expect(found.rows).toMatchObject([
      { name: 'zoë 100%.txt', line: 1, text: 'Grün' },
      { name: 'notes.md', line: 3, text: 'third: Grüße' },
    ])
    expect(
      (await tell(ann, 'search', { pattern: '^line 2999\\d ', regex: true })).rows.map((row) => row['line']),
    ).toEqual(Array.from({ length: 10 }, (_, index) => 29_990 + index))
    expect((await tell(ann, 'search', { pattern: 'second', ignore_case: false })).rows).toEqual([])
    expect((await tell(ann, 'search', { pattern: '.*', files: ['notes.md'] })).rows).toEqual([])
    const long = await tell(ann, 'search', { pattern: 'needle', name: 'one-line' })
    expect(String(long.rows[0]?.['text']).length).toBeLessThan(400)
    expect((await tell(ann, 'search', { pattern: '(', regex: true })).text).toContain('no regular expression')
  })
  test('search: an expression that never ends is stopped, and holds nothing up', async () => {
    await upload(ann, 'aaa.txt', `${'a'.repeat(50)}!`)
    let ended = false
    const endless = tell(ann, 'search', { pattern: '^(a+)+$', regex: true, files: ['aaa.txt'] }).finally(
      () => (ended = true),
    )
    expect([(await ann.fetch('/healthz')).status, ended]).toEqual([200, false])
    expect(await endless).toMatchObject({ status: 'failed', text: expect.stringContaining('Make it simpler') })
  })
  test('write asks, then makes a new file of the run; the same name is a second file', async () => {
    const write = async (input: Record<string, unknown>): Promise<ChatResult> => {
      const { result } = await tell(ann, 'write', input)
      expect(result.approvals[0]).toMatchObject({
        effect: 'write',
        summary: `Writes the file ${String(input['name'])}`,
      })
      return (await decide(ann, result.approvals[0]!.approval_id, 'approve')).result!
    }
    const made = await write({ name: 'made.csv', text: 'a;b\n1;2\n' })
    expect(made.generated_files).toMatchObject([{ name: 'made.csv', media_type: 'text/csv', size: 8 }])
    const download = await ann.call(contract.files.download, { params: { file_id: made.generated_files[0]!.file_id } })
    expect(await download.text()).toBe('a;b\n1;2\n')
    expect((await write({ name: 'made.csv', base64: 'AAEC' })).generated_files).toMatchObject([{ size: 3 }])
    expect((await tell(ann, 'list', { query: 'made.csv' })).rows).toHaveLength(2)
    for (const input of [
      { name: 'x.txt' },
      { name: 'x.txt', text: 'a', base64: 'YQ==' },
      { name: 'x.txt', base64: '???' },
      { name: '../x', text: 'a' },
      { name: 'a\u202ebc', text: 'a' },
      { name: ' .. ', text: 'a' },
    ]) {
      const { result } = await tell(ann, 'write', input)
      const after = await decide(ann, result.approvals[0]!.approval_id, 'approve')
      expect(after.result!.tool_calls_executed).toMatchObject([{ tool: 'write', status: 'failed' }])
      expect(after.result!.generated_files).toEqual([])
    }
  })
  test('rules that change while a call waits for its approval hold for it', async () => {
    const asks: Rules = [{ subject: 'tool:files.*', effect: 'ask' }]
    const member = await stage.member('kim', asks)
    const file = await upload(member.client, 'mine.txt', 'my own text')
    for (const [tool, input] of [
      ['list', {}],
      ['read', { file }],
      ['read', { file: 'mine.txt' }],
      ['search', { pattern: 'text' }],
      ['search', { pattern: 'text', files: [file] }],
      ['write', { name: 'x.txt', text: 'x' }],
    ] as const) {
      await stage.setRules(member, asks)
      const { result } = await tell(member.client, tool, input)
      await stage.setRules(member, [
        ...asks,
        { subject: 'files.read', effect: 'deny' },
        { subject: 'files.create', effect: 'deny' },
      ])
      const after = await decide(member.client, result.approvals[0]!.approval_id, 'approve')
      const [call] = after.result!.tool_calls_executed
      expect(call).toMatchObject({ status: 'failed', result_preview: expect.stringContaining('is not allowed') })
      expect(JSON.stringify(after.result)).not.toContain('my own text')
    }
  })
  test.each(['approve', 'approve_for_conversation'] as const)(
    'files.read: ask, %s for the run: then its tools may read',
    async (decision) => {
      const member = await stage.member(`lee-${decision}`, [{ subject: 'tool:files.*', effect: 'allow' }])
      const file = await upload(member.client, 'mine.txt', 'my own text')
      await stage.setRules(member, [
        { subject: 'tool:files.*', effect: 'allow', even_untrusted: true },
        { subject: 'files.read', effect: 'ask' },
        { subject: 'files.create', effect: 'ask' },
      ])
      const asked = await say(member.client, `/files.read {"file": "${file}"}`)
      expect(asked.tool_calls_executed).toEqual([])
      const { result } = await decide(member.client, asked.approvals[0]!.approval_id, decision)
      expect(result!.tool_calls_executed).toMatchObject([
        { status: 'done', result_preview: expect.stringContaining('my own text') },
      ])
      if (decision === 'approve') return
      const { conversation_id } = asked
      const again = await say(member.client, `/files.read {"file": "${file}"}`, { conversation_id })
      expect(again.tool_calls_executed).toMatchObject([{ status: 'done' }])
      const write = await say(member.client, '/files.write {"name": "x.txt", "text": "x"}', { conversation_id })
      expect(write.tool_calls_executed).toMatchObject([
        { status: 'failed', result_preview: expect.stringContaining('needs an approval') },
      ])
    },
  )
  test('a token that does not cover files.create cannot write files by a tool', async () => {
    const member = await stage.member('max', [{ subject: 'tool:files.*', effect: 'allow' }])
    const permissions = ['codex.use', 'files.read', 'conversations.read', 'tool:files.*']
    const { token } = await member.client.call(contract.accounts.createToken, { body: { name: 'narrow', permissions } })
    const script = stage.anonymous()
    script.bearer = token
    const refused = await tell(script, 'write', { name: 'x.txt', text: 'x' })
    expect(refused).toMatchObject({ status: 'failed', text: expect.stringContaining('does not cover files.create') })
  })
})
