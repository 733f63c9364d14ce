import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { callsOf, runAttack } from './stage/modules/attack-module.ts'
import { begin, lastAnswer, openStage, partsOf, say, type Member, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const READS = { readOnlyHint: true, destructiveHint: false }
const ALLOWED = ['hangs', 'writes'].map((name) => ({ subject: `tool:${name}.*`, effect: 'allow' as const }))
const RESTARTED = 'The module hangs did not confirm the stop, so it was stopped and started again.'
const WILL_RESTART =
  'The module hangs did not confirm the stop. It will be stopped and started again as soon as its other calls have ended.'

describe.each(databases)('a stop that a module ignores, on $name', { timeout: 30_000 }, (database) => {
  let stage: Stage
  let admin: TestClient
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    ann = await stage.member('ann', ALLOWED)
    for (const [name, annotations] of [
      ['hangs', READS],
      ['writes', { readOnlyHint: false }],
    ] as const)
      await runAttack(admin, {
        name,
        tools: [
          { name: 'hang', annotations },
          { name: 'say', annotations: READS },
        ],
      })
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const module = async (module_name: string) =>
    (await admin.call(contract.modules.diagnostics, { params: { module_name } })).module
  const start = async (client: TestClient, name: string) => {
    const before = (await callsOf(stage.dataFolder, name)).length
    const begun = await begin(client, `/${name}.hang`)
    await until(async () => (await callsOf(stage.dataFolder, name)).length > before, { what: 'the tool runs' })
    return begun
  }
  const cancel = (client: TestClient, conversation_id: string) =>
    client.call(contract.chat.cancel, { body: { conversation_id } })
  const noticesIn = async (client: TestClient, conversation_id: string) =>
    partsOf(await lastAnswer(client, conversation_id), 'notice').map((part) => part.notice.text)

  test('by a tool that reads: its module is stopped and started again, and the answer says so', async () => {
    const { process } = await module('hangs')
    const { conversation_id } = await start(ann.client, 'hangs')
    expect(await cancel(ann.client, conversation_id)).toEqual({
      ok: true,
      cancelled: true,
      cancelled_count: 1,
      warning: RESTARTED,
    })
    expect(await noticesIn(ann.client, conversation_id)).toEqual([RESTARTED, 'Stopped.'])
    await until(async () => (await module('hangs')).state === 'running')
    const after = await module('hangs')
    expect(after.restarts).toBe(1)
    expect(after.process?.pid).not.toBe(process?.pid)
    expect(await say(ann.client, '/hangs.say')).toMatchObject({ tool_calls_executed: [{ status: 'done' }] })
  })

  test('by one that changes something: beside that nobody knows what it did, in the words of the person', async () => {
    await ann.client.call(contract.accounts.updatePreferences, { body: { language: 'de' } })
    const { conversation_id } = await start(ann.client, 'writes')
    const { warning } = await cancel(ann.client, conversation_id)
    expect(warning).toBe(
      'Das Modul writes hat das Stoppen nicht bestätigt, deshalb wurde es beendet und neu gestartet. ' +
        'Beim Beenden lief gerade ein Aufruf. Niemand kann sagen, ob er gewirkt hat: vor dem Wiederholen nachsehen.',
    )
    expect((await module('writes')).restarts).toBe(1)
  })

  test('while others use the module: it goes on for them, and is started again after the last', async () => {
    const { client: ben } = await stage.member('ben', ALLOWED)
    const { client: cal } = await stage.member('cal', ALLOWED)
    const { restarts, process } = await module('hangs')
    const [first, other] = [await start(ben, 'hangs'), await start(cal, 'hangs')]
    expect((await cancel(ben, first.conversation_id)).warning).toBe(WILL_RESTART)
    expect(await noticesIn(ben, first.conversation_id)).toEqual([WILL_RESTART, 'Stopped.'])
    expect(await module('hangs')).toMatchObject({ restarts, process: { pid: process?.pid } })
    expect((await cancel(cal, other.conversation_id)).warning).toBe(RESTARTED)
    expect((await module('hangs')).restarts).toBe(restarts + 1)
  })
})
