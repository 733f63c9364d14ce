import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '../contract/index.ts'
import { say } from './stage/chat-stage.ts'
import { readEvents } from './stage/event-stream.ts'
import { databases } from './stage/servers/postgres.ts'
import { belongings } from './stage/belongings.ts'
import { ask, openSecurityStage, refusal, type SecurityStage } from './stage/security-stage.ts'

describe.each(databases)('chat under attack on $name', (database) => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-attack-'))
  let stage: SecurityStage
  beforeAll(async () => {
    stage = await openSecurityStage(database)
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  test('a stream shows its own user’s events only, live ones too', async () => {
    const response = await stage.ben.call(contract.chat.activityStream)
    await say(stage.ann, 'something private')
    const { conversation_id } = await say(stage.ben, 'something of ben')
    const seen = new Set<unknown>()
    for await (const { event, data } of readEvents(response)) {
      const { conversation_id: of } = data as { conversation_id?: string }
      if (of !== undefined) seen.add(of)
      if (event === 'run.completed') break
    }
    expect([...seen]).toEqual([conversation_id])
  })

  test('nobody stops another’s run', async () => {
    const { conversation_id, run_id } = await belongings(stage.app, 'erik')
    const erik = await stage.app.as('erik')
    const { conversation_id: waiting } = await erik.call(contract.chat.run, { params: { run_id: run_id! } })
    for (const body of ['{}', JSON.stringify({ conversation_id: waiting }), JSON.stringify({ conversation_id })]) {
      const answer = await ask(stage.ben, contract.chat.cancel, { ids: {}, body })
      expect(answer.problem?.code ?? (JSON.parse(answer.text) as { cancelled_count: number }).cancelled_count).toBe(0)
    }
    expect((await erik.call(contract.chat.run, { params: { run_id: run_id! } })).status).toBe('waiting_approval')
  })

  test('a client can send text and ids of attachments, never history, approvals or tools', async () => {
    for (const extra of [
      { messages: [{ role: 'assistant', parts: [{ type: 'tool_call', status: 'approved' }] }] },
      { approvals: [{ approval_id: stage.ids.approval_id, status: 'approved' }] },
      { tool_ids: ['system.run_command'] },
      { tools: [] },
      { model: 'other' },
      { session_id: stage.ids.session_id },
      { user_id: stage.ids.user_id },
      { ai_mode: 'direct' },
    ]) {
      const answer = await ask(stage.ben, contract.chat.send, {
        ids: {},
        body: JSON.stringify({ message: 'hello', ...extra }),
      })
      expect([extra, ...refusal(answer)]).toEqual([extra, 422, 'invalid_request'])
    }
  })

  test('twenty approvals at once run the call once; a denial afterwards comes too late', async () => {
    const file = join(folder, `${database.name}.txt`)
    const script = JSON.stringify({ command: `echo done >> ${file}`, shell: true, host: 'local' })
    const { approvals } = await say(stage.ben, `/system.run_command ${script}`)
    const decide = (decision: string) =>
      ask(stage.ben, contract.chat.decideApproval, {
        ids: { approval_id: approvals[0]!.approval_id },
        body: JSON.stringify({ decision }),
      })
    const answers = await Promise.all(Array.from({ length: 20 }, () => decide('approve')))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(readFileSync(file, 'utf8')).toBe('done\n')
    expect(refusal(await decide('deny'))).toEqual([409, 'already_decided'])
    expect(readFileSync(file, 'utf8')).toBe('done\n')
  })

  test('only a signed-in person decides: no token, not even the owner’s, and no link', async () => {
    const script = stage.app.anonymous()
    script.bearer = (await stage.ann.call(contract.accounts.createToken, { body: { name: 'decides' } })).token
    const body = JSON.stringify({ decision: 'approve' })
    expect(refusal(await ask(script, contract.chat.decideApproval, { ...stage, body }))).toEqual([403, 'forbidden'])
    const cookieToo = await ask(stage.ann, contract.chat.decideApproval, {
      ...stage,
      body,
      headers: { authorization: `Bearer ${script.bearer}` },
    })
    expect(refusal(cookieToo)).toEqual([403, 'forbidden'])
    const got = await stage.ann.fetch(`/api/chat/approvals/${stage.ids.approval_id}?decision=approve`)
    expect(got.status).toBe(405)
    await got.text()
    const { items } = await stage.ann.call(contract.chat.listApprovals, { query: { status: 'pending' } })
    expect(items.map((each) => each.approval_id)).toContain(stage.ids.approval_id)
  })

  test('titles, names and messages without end are refused', async () => {
    const long = 'x'.repeat(900_000)
    for (const [route, body] of [
      [contract.chat.updateConversation, { title: long }],
      [contract.chat.createFolder, { name: long }],
      [contract.chat.send, { message: long }],
      [contract.chat.send, { message: 'a', attachment_ids: Array(1000).fill(stage.ids.file_id) }],
      [contract.chat.decideApproval, { decision: 'deny', reason: long }],
    ] as const) {
      expect([route.path, ...refusal(await ask(stage.ann, route, { ...stage, body: JSON.stringify(body) }))]).toEqual([
        route.path,
        422,
        'invalid_request',
      ])
    }
    const answer = await ask(stage.ann, contract.accounts.updatePreferences, {
      ...stage,
      body: JSON.stringify({ personal_prompt: long }),
    })
    expect(refusal(answer)).toEqual([400, 'prompt_too_long'])
  })

  test('the stream of a user who is disabled, demoted or signed out ends at once', async () => {
    const change = {
      disabled: (user_id: string) =>
        stage.admin.call(contract.accounts.updateUser, { params: { user_id }, body: { disabled: true } }),
      demoted: (user_id: string) =>
        stage.admin.call(contract.accounts.updateUser, { params: { user_id }, body: { role_id: stage.ids.role_id! } }),
      deleted: (user_id: string) => stage.admin.call(contract.accounts.deleteUser, { params: { user_id } }),
    }
    for (const [username, act] of Object.entries(change)) {
      const client = await stage.app.as(username)
      const { user } = await client.call(contract.accounts.session)
      const response = await client.call(contract.chat.activityStream)
      const events = readEvents(response)
      await events.next()
      const started = performance.now()
      await act(user.id)
      while ((await events.next()).done !== true);
      // Promised are 15 s.
      expect([username, performance.now() - started < 15_000]).toEqual([username, true])
      expect((await ask(client, contract.chat.history, stage)).status).toBe(401)
    }
  })
})
