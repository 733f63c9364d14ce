import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { Approval, Message } from '../contract/chat.ts'
import { openFeed, toldText, type Feed } from './stage/activity-feed.ts'
import { begin, command, decide, lastAnswer, noticesOf, partsOf, say, textOf, toolResults } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { linesIn } from './stage/run-ledger.ts'
import { gate, startScriptedModel, type ScriptedRequest, type ScriptedStep } from './stage/servers/scripted-model.ts'
import { runs as isAlive } from './stage/modules/sandbox-stage.ts'
import { until } from './stage/wait.ts'

const SOON = { headers: { prefer: 'respond-async' } }

describe.each(databases)('SIGKILL in the middle of seven runs, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  const silent = gate()
  const spoken = gate()
  const requests: Record<string, ScriptedRequest[]> = {}
  const runs: Record<string, { run_id: string; conversation_id: string }> = {}
  let service: TestProcess
  let client: TestClient
  let elsewhere: TestClient
  /** Of the command that was under way, and of its child. */
  let pids: number[]
  let before: Feed
  let after: Feed

  const file = (name: string): string => join(service.dataFolder, `written-${name}`)
  // It hears no polite request, and has a child of the same kind.
  const blocking = (): string => `trap '' TERM HUP
    while [ ! -e ${file('stop')} ]; do sleep 0.05; done & echo $$ $! > ${file('pids')}
    echo line >> ${file('blocked')}; while [ ! -e ${file('stop')} ]; do sleep 0.05; done`
  const scripts: Record<string, () => ScriptedStep[][]> = {
    quiet: () => [[{ wait: silent }], [{ text: 'Here now.' }]],
    speaking: () => [[{ text: 'One two three four ', each: 'word' }, { wait: spoken }]],
    writing: () => [[{ text: 'I write.' }, { calls: [command(blocking())] }]],
    reading: () => [[{ calls: Array.from({ length: 24 }, () => ({ name: 'system.cpu', arguments: {} })) }]],
    asking: () => [[{ calls: [command(`echo line >> ${file('asked')}`)] }], [{ text: 'Written.' }]],
    twice: () => [
      [{ calls: [command(`echo line >> ${file('first')}`), command(`echo line >> ${file('second')}`)] }],
      [{ text: 'Both written.' }],
    ],
    patient: () => [
      [{ status: 429, headers: { 'retry-after': '40' }, body: { error: { message: 'busy' } } }],
      [{ text: 'After all.' }],
    ],
    hasty: () => [[{ calls: [command(`echo line >> ${file('hasty')}`)] }], [{ text: 'In haste.' }]],
  }
  function answer(request: ScriptedRequest): ScriptedStep[] {
    const cue = textOf(request.messages.findLast((message) => message.role === 'user')?.content)
    const seen = (requests[cue] ??= [])
    seen.push(request)
    return scripts[cue]?.()[seen.length - 1] ?? [{ text: 'Fine.' }]
  }

  async function start(cue: string) {
    return (runs[cue] = await begin(client, cue))
  }
  async function cards(cue: string): Promise<Approval[]> {
    const { conversation_id } = runs[cue]!
    await until(
      async () =>
        (await elsewhere.call(contract.chat.conversation, { params: { conversation_id } })).active_run?.status ===
        'waiting_approval',
    )
    const { approvals } = await client.call(contract.chat.conversation, { params: { conversation_id } })
    return approvals
  }
  /** The answer, once its run is over. */
  async function ended(cue: string): Promise<Message> {
    const { conversation_id } = runs[cue]!
    return until(
      async () => {
        const message = await lastAnswer(client, conversation_id)
        return ['streaming', 'waiting_approval'].includes(message.status) ? null : message
      },
      { what: `the run "${cue}" is over` },
    )
  }
  async function goesOn(cue: string): Promise<void> {
    const { conversation_id } = runs[cue]!
    expect(await say(client, 'And now?', { conversation_id })).toMatchObject({ answer: 'Fine.' })
  }

  beforeAll(async () => {
    const model = opened.use(await startScriptedModel(answer))
    service = opened.use(await startProcess({ database, model }))
    opened.defer(() => writeFileSync(file('stop'), ''))
    client = await service.as('admin')
    elsewhere = service.anonymous()
    const signIn = await elsewhere.call(contract.accounts.login, { body: { username: 'admin', password: PASSWORD } })
    elsewhere.csrfToken = signIn.csrf_token
    before = await openFeed(client)

    await start('writing')
    for (const card of await cards('writing')) await decide(client, card.approval_id, 'approve', SOON)
    await start('asking')
    await start('twice')
    await decide(client, (await cards('twice'))[0]!.approval_id, 'approve', SOON)
    await cards('asking')
    const { run_id: patient } = await start('patient')
    await before.find((event) => event.run_id === patient && event.type === 'conversation.updated')
    await start('quiet')
    await silent.reached
    const { run_id: speaking } = await start('speaking')
    await spoken.reached
    await before.find((event) => event.run_id === speaking && event.type === 'run.delta')
    await until(() => linesIn(file('blocked')), { what: 'the command runs' })
    const { run_id: reading } = await start('reading')
    await before.find((event) => event.run_id === reading && event.type === 'tool.started')

    pids = readFileSync(file('pids'), 'utf8').trim().split(' ').map(Number)
    await service.kill()
    await before.ended
    // Before the next start: something else than the service ends them.
    await until(() => !pids.some(isAlive), { what: 'nothing of the command runs' })
    await service.restart()
    after = await openFeed(client, { after: before.cursor })
  })
  afterAll(() => opened.disposeAsync())

  test('both sign-ins stand, and the messages are all there', async () => {
    for (const browser of [client, elsewhere]) {
      expect((await browser.call(contract.accounts.session)).user.username).toBe('admin')
    }
    const { items } = await client.call(contract.chat.listConversations, { query: {} })
    expect(items.map((item) => item.conversation_id).sort()).toEqual(
      Object.values(runs)
        .map((run) => run.conversation_id)
        .sort(),
    )
  })

  test('a run whose engine had said nothing yet goes on by itself', async () => {
    expect(await ended('quiet')).toMatchObject({ status: 'complete', parts: [{ type: 'text', text: 'Here now.' }] })
    expect(requests.quiet).toHaveLength(2)
  })

  test('an answer that had begun keeps every word that was told, and is marked interrupted', async () => {
    const message = await ended('speaking')
    expect(message.status).toBe('interrupted')
    expect(noticesOf(message)).toEqual(['run_interrupted'])
    const told = toldText(before.events, message.message_id, 0)
    expect(told).not.toBe('')
    // A last piece may have been stored and not yet been told when the kill came.
    expect(partsOf(message, 'text')[0]?.text.slice(0, told.length)).toBe(told)
    await goesOn('speaking')
  })

  test('a call that was changing something is unknown, is not repeated, and the engine is told so', async () => {
    const message = await ended('writing')
    expect(message.status).toBe('interrupted')
    expect(noticesOf(message)).toEqual(['command_ended', 'outcome_unknown'])
    expect(partsOf(message, 'notice')[0]?.notice).toMatchObject({
      text: `sh (PID ${pids[0]}) was still running when the service stopped, and was terminated.`,
      detail: `sh (PID ${pids[0]})`,
    })
    expect(partsOf(message, 'tool_call').map((part) => part.tool_call.status)).toEqual(['unknown'])
    await goesOn('writing')
    expect(toolResults(requests['And now?']?.at(-1)).join()).toMatch(
      /^sh \(PID \d+\) was still running.* It is unknown how far/,
    )
    expect(linesIn(file('blocked'))).toBe(1)
  })

  test('the log names the command that was ended, without its arguments, and no note of it is left', async () => {
    const entry = service.log.find(({ msg }) => msg === 'ended commands of a service that was killed')
    expect(entry).toMatchObject({ level: 'warn', commands: [{ name: 'sh', pid: pids[0] }] })
    expect(JSON.stringify(entry)).not.toContain('sleep')
    await until(() => readdirSync(join(service.dataFolder, 'modules/commands')).length === 0)
  })

  test('calls that only read have failed or were never started; nothing of them is open', async () => {
    const message = await ended('reading')
    expect(message.status).toBe('interrupted')
    expect(noticesOf(message)).toEqual(['run_interrupted'])
    const states = partsOf(message, 'tool_call').map((part) => part.tool_call.status)
    expect(states).toHaveLength(24)
    expect(states.filter((status) => status === 'failed').length).toBeGreaterThan(0)
    expect(states.filter((status) => !['done', 'failed', 'cancelled'].includes(status))).toEqual([])
    await goesOn('reading')
  })

  test('a wait for a busy engine is taken up again', async () => {
    const message = await ended('patient')
    expect(message.status).toBe('complete')
    expect(partsOf(message, 'text').map((part) => part.text)).toEqual(['After all.'])
  })

  test('a card that was up is decided in another browser, and the call runs once', async () => {
    const [card] = await cards('asking')
    expect(linesIn(file('asked'))).toBe(0)
    const { result } = await decide(elsewhere, card!.approval_id, 'approve')
    expect(result).toMatchObject({ answer: 'Written.' })
    expect(linesIn(file('asked'))).toBe(1)
  })

  test('a call that was approved and not started runs once, when the last card is decided', async () => {
    const [card, ...others] = await cards('twice')
    expect(others).toEqual([])
    expect([linesIn(file('first')), linesIn(file('second'))]).toEqual([0, 0])
    const { result } = await decide(elsewhere, card!.approval_id, 'approve')
    expect(result).toMatchObject({ answer: 'Both written.' })
    expect([linesIn(file('first')), linesIn(file('second'))]).toEqual([1, 1])
  })

  test('the stream goes on where it broke off: every end is told once, and ids only grow', async () => {
    for (const cue of ['quiet', 'speaking', 'writing', 'reading', 'patient', 'asking', 'twice']) {
      await after.find(
        (event) => event.run_id === runs[cue]!.run_id && /^run\.(completed|interrupted)$/.test(event.type),
      )
    }
    const events = [...before.events, ...after.events]
    const ids = events.map((event) => event.id)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    for (const { run_id } of Object.values(runs)) {
      expect(
        events.filter((event) => event.run_id === run_id && /^run\.(completed|interrupted)$/.test(event.type)),
      ).toHaveLength(1)
    }
  })

  test('killed at the moment a decision was acknowledged: the decision stands, and the call runs at most once', async () => {
    await start('hasty')
    const [card] = await cards('hasty')
    await decide(client, card!.approval_id, 'approve', SOON)
    await service.kill()
    await service.restart()
    const message = await ended('hasty')
    const [part] = partsOf(message, 'tool_call')
    expect(part?.approval).toMatchObject({ status: 'approved', decided_by: 'admin' })
    // It depends on the instant whether the call had begun: then nobody can tell, and it is not begun again.
    if (part?.tool_call.status === 'unknown') expect(linesIn(file('hasty'))).toBeLessThanOrEqual(1)
    else expect([part?.tool_call.status, linesIn(file('hasty'))]).toEqual(['done', 1])
    await goesOn('hasty')
  })
})
