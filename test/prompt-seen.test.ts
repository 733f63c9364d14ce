import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { PromptPart } from '../contract/prompt-seen.ts'
import { lastAnswer, openStage, partsOf, say, textOf, type Member, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import type { ScriptedRequest } from './stage/servers/scripted-model.ts'

const SENTENCES = 'The quick brown fox jumps over the lazy dog. '.repeat(30)

const seenBy = async ({ client }: Member, conversation_id: string) => {
  const { run_id } = await lastAnswer(client, conversation_id)
  return client.call(contract.chat.prompt, { params: { run_id: run_id! } })
}
const kinds = (parts: readonly PromptPart[]) => parts.map(({ kind }) => kind)
const messagesIn = (parts: readonly PromptPart[]) => parts.flatMap((part) => (part.kind === 'message' ? [part] : []))

describe.each(databases)('what the model saw on $name', (database) => {
  let stage: Stage
  let member: Member
  beforeAll(async () => {
    stage = await openStage(database, { env: { REEVE_AI_CONTEXT_TOKENS: '60000' } })
    member = await stage.member('ann', [{ subject: 'tool:system.*', effect: 'allow' }])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('is shown in the order of the request, with everything that was in it', async () => {
    const { client } = member
    await client.call(contract.accounts.updatePreferences, { body: { personal_prompt: 'Be brief, please.' } })
    const { file } = await client.call(contract.files.upload, {
      headers: { 'x-file-name': 'plan.txt' },
      body: Buffer.from('Plant the tulips in autumn.'),
    })
    const requests = stage.play('tulip', (_, index) =>
      index === 1
        ? [{ reasoning: 'I should look.' }, { text: 'I look. ' }, { calls: [{ name: 'system.memory', arguments: {} }] }]
        : [{ text: `Answer ${index}.` }],
    )
    const { conversation_id } = await say(client, 'tulip one')
    await say(client, 'tulip two', { conversation_id, attachment_ids: [file.file_id] })
    const seen = await seenBy(member, conversation_id)
    expect(seen).toMatchObject({ recorded: true, more: false, shortened: false })
    expect(kinds(seen.parts)).toEqual(['system', 'personal', 'tools', 'message', 'message', 'message', 'message'])

    const request = requests.at(-1)!
    const system = textOf(request.messages[0]?.content)
    const [first, personal, tools] = seen.parts
    expect(first?.kind === 'system' && system.startsWith(first.text)).toBe(true)
    expect(personal).toMatchObject({ text: 'Be brief, please.' })
    expect(system).toContain('Be brief, please.')
    expect(tools?.kind === 'tools' && tools.count).toBe(request.tools.length)
    const [one, answer, two, own] = messagesIn(seen.parts)
    expect([one, answer].map((message) => message?.text)).toEqual(['tulip one', 'Answer 0.'])
    expect(two).toMatchObject({ text: 'tulip two', files: [{ name: 'plan.txt', tokens: 8 }] })
    // The steps of the run itself that came before the last request, not the answer that followed it.
    expect(own).toMatchObject({ text: 'I look. ', calls: [{ name: 'system.memory', arguments: '{}' }] })
    expect(JSON.stringify(request.messages)).toContain(JSON.stringify(own!.calls[0]!.result).slice(1, 200))
    expect(seen.tokens).toBe(seen.parts.reduce((sum, { tokens }) => sum + tokens, 0))

    const [thought] = partsOf(await lastAnswer(client, conversation_id), 'reasoning')
    expect(thought?.duration_ms).toBeGreaterThanOrEqual(0)
  })

  test('has the result of each call, though its server gives every step the same ids', async () => {
    stage.play('poppy', [
      [{ calls: [{ name: 'system.memory', arguments: {}, id: 'call_0' }] }],
      [{ calls: [{ name: 'nothing.there', arguments: {}, id: 'call_0' }] }],
      [{ text: 'Done.' }],
    ])
    const { conversation_id } = await say(member.client, 'poppy')
    const own = messagesIn((await seenBy(member, conversation_id)).parts).at(-1)!
    expect(own.calls.map(({ result }) => result.startsWith('There is no tool'))).toEqual([false, true])
  })

  test('is of the run that is asked for, and nobody else sees it', async () => {
    const { client } = member
    stage.play('daisy', (_, index) => [{ text: `Answer ${index}.` }])
    const { conversation_id } = await say(client, 'daisy one')
    const { run_id } = await lastAnswer(client, conversation_id)
    await say(client, 'daisy two', { conversation_id })
    const seen = await client.call(contract.chat.prompt, { params: { run_id: run_id! } })
    expect(messagesIn(seen.parts).map(({ text }) => text)).toEqual(['daisy one'])
    for (const other of [await stage.member('eve'), { client: await stage.as('admin') }])
      await expect(other.client.call(contract.chat.prompt, { params: { run_id: run_id! } })).rejects.toMatchObject({
        status: 404,
      })
  })

  test('of a run that failed, or of direct mode, nothing is recorded', async () => {
    const { client } = member
    stage.play('nettle', () => [{ status: 400, body: { error: { message: 'no' } } }])
    const { conversation_id } = await say(client, 'nettle').catch(async () => {
      const { items } = await client.call(contract.chat.listConversations, { query: {} })
      return { conversation_id: items[0]!.conversation_id }
    })
    expect(await seenBy(member, conversation_id)).toMatchObject({ recorded: false, parts: [], tokens: 0 })
  })
})

describe.each(databases)('what was left out on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { env: { REEVE_AI_CONTEXT_TOKENS: '3000' } })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('is counted, and its summary is shown', async () => {
    const member = await stage.member('ann', [{ subject: 'tool:system.*', effect: 'deny' }])
    const { client } = member
    const isSummary = (request: ScriptedRequest) => textOf(request.messages[0]?.content).startsWith('Summarise')
    stage.play('fox', (request) => [{ text: isSummary(request) ? 'Foxes were counted.' : 'Yes.' }])
    let { conversation_id } = await say(client, `fox 1 ${SENTENCES}`)
    for (let n = 2; n <= 6; n++)
      conversation_id = (await say(client, `fox ${n} ${SENTENCES}`, { conversation_id })).conversation_id
    const seen = await seenBy(member, conversation_id)
    const left = seen.parts.find(({ kind }) => kind === 'left_out')
    const messages = messagesIn(seen.parts)
    expect(seen.parts.find(({ kind }) => kind === 'summary')).toMatchObject({ text: 'Foxes were counted.' })
    // Six questions and five answers, each either in the prompt or left out.
    expect((left?.kind === 'left_out' ? left.count : 0) + messages.length).toBe(11)
    expect(messages.at(-1)?.text).toMatch(/^fox 6 /)
  })
})

describe.each(databases)('the time of a run on $name', (database) => {
  test('tells apart the time in which it waited for a person', async () => {
    await using stage = await openStage(database)
    const { client } = await stage.member('ann', [{ subject: 'tool:system.run_command', effect: 'ask', approvers: [] }])
    stage.play('wait', [
      [{ calls: [{ name: 'system.run_command', arguments: { command: 'true' } }] }],
      [{ text: 'Done.' }],
    ])
    const { conversation_id, approvals } = await say(client, 'wait')
    const [card] = approvals
    await client.call(contract.chat.decideApproval, {
      params: { approval_id: card!.approval_id },
      body: { decision: 'approve' },
    })
    const { run_id } = await lastAnswer(client, conversation_id)
    const run = await client.call(contract.chat.run, { params: { run_id: run_id! } })
    const [decided] = (await client.call(contract.chat.listApprovals, { query: { status: 'approved' } })).items
    expect(run.waited_ms).toBe(Date.parse(decided!.decided_at!) - Date.parse(decided!.requested_at))
  })
})
