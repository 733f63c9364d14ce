import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import {
  command,
  decide,
  lastAnswer,
  openStage,
  partsOf,
  recentEvents,
  say,
  type Member,
  type Stage,
} from './stage/chat-stage.ts'
import { hashOf } from '../server/kernel/text/canonical.ts'
import { databaseContent } from './stage/databases/database-content.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'

const SECRET = 'hunter2-"quoted"-7f3a9c'
const PIN = '4711'
const USER_CONFIG = {
  key: { type: 'string', title: 'Key', description: 'The key', sensitive: true },
  pin: { type: 'string', title: 'Pin', description: 'The pin', sensitive: true },
}

describe.each(databases)('a model that repeats a stored secret, on $name', (database) => {
  let stage: Stage
  let ann: Member
  beforeAll(async () => {
    stage = await openStage(database)
    ann = await stage.member('ann')
    const admin = await stage.as('admin')
    const params = { module_name: 'plain' }
    await install(admin, await makeBundle({ user_config: USER_CONFIG, env: { TOOLS: '["echo"]' } }))
    await admin.call(contract.modules.saveSettings, {
      params,
      body: { values: { key: SECRET, pin: PIN }, clear_fields: [] },
    })
    await admin.call(contract.modules.enable, { params, body: {} })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Everything that a person, an export or a thief of the database could read of it. */
  async function everything(conversation_id: string): Promise<string> {
    const { client } = ann
    const exported = await Promise.all(
      (['json', 'markdown'] as const).map(async (format) =>
        (
          await client.call(contract.chat.exportConversation, { params: { conversation_id }, query: { format } })
        ).text(),
      ),
    )
    const seen = [
      await client.call(contract.chat.conversation, { params: { conversation_id }, query: {} }),
      await client.call(contract.chat.listApprovals),
      await recentEvents(client),
      exported,
      await databaseContent(stage.app.db),
    ]
    return JSON.stringify(seen)
  }
  const forms = [SECRET, JSON.stringify(SECRET).slice(1, -1), Buffer.from(SECRET).toString('hex')]
  function expectHidden(text: string): void {
    for (const form of forms)
      for (const shown of [form, JSON.stringify(form).slice(1, -1), JSON.stringify(JSON.stringify(form)).slice(3, -3)])
        expect(text.includes(shown)).toBe(false)
  }

  test('the call of another module runs with it as it was approved, and nothing that is stored or shown has it', async () => {
    const file = join(stage.dataFolder, 'secret')
    const script = `printf '%s' '${SECRET}' > ${file}; cat ${file}`
    const requests = stage.play('anvil', [[{ calls: [command(script)] }], [{ text: 'Over.' }]])
    const { approvals, conversation_id } = await say(ann.client, 'anvil')
    expect(approvals[0]?.arguments).toEqual({
      command: `printf '%s' '[secret]' > ${file}; cat ${file}`,
      shell: true,
      deadline_s: 60,
    })
    expect(approvals[0]?.summary).not.toContain(SECRET)
    expectHidden(await everything(conversation_id))

    // Bound to the exact arguments, and not to what is shown of them.
    const { arguments_hash } = await stage.app.db.read
      .selectFrom('approval')
      .select('arguments_hash')
      .where('approval_id', '=', approvals[0]!.approval_id)
      .executeTakeFirstOrThrow()
    expect(arguments_hash).toBe(hashOf({ command: script, shell: true, deadline_s: 60 }))

    await decide(ann.client, approvals[0]!.approval_id, 'approve')
    expect(readFileSync(file, 'utf8')).toBe(SECRET)
    const [call] = partsOf(await lastAnswer(ann.client, conversation_id), 'tool_call')
    expect(call?.tool_call).toMatchObject({ status: 'done', result_preview: expect.stringContaining('[secret]') })
    expectHidden(await everything(conversation_id))
    expectHidden(JSON.stringify(requests[1]?.messages))
    const { items } = await ann.client.call(contract.chat.listConversations, { query: { q: 'hunter2' } })
    expect(items).toEqual([])
    const sealed = await stage.app.db.read.selectFrom('tool_call').select('arguments_sealed').execute()
    expect(sealed.every(({ arguments_sealed }) => arguments_sealed === null)).toBe(true)
  })

  test('a short one is masked in calls of its own module only, in names and numbers, too', async () => {
    const input = { text: `pin ${PIN}`, [PIN]: [{ deep: Number(PIN) }] }
    stage.play('bellows', [
      [{ calls: [{ name: 'plain.echo', arguments: input }, command(`echo ${PIN}`)] }],
      [{ text: 'Over.' }],
    ])
    const { approvals } = await say(ann.client, 'bellows')
    const shown = Object.fromEntries(approvals.map((card) => [card.module, card.arguments]))
    expect(shown).toEqual({
      plain: { text: 'pin [secret]', '[secret]': [{ deep: '[secret]' }] },
      system: { command: `echo ${PIN}`, shell: true, deadline_s: 60 },
    })
  })

  test('arguments that cannot be opened any more are never guessed: the call fails', async () => {
    stage.play('crank', [
      [{ calls: [command(`echo '${SECRET}' > ${join(stage.dataFolder, 'never')}`)] }],
      [{ text: 'Over.' }],
    ])
    const { approvals, conversation_id } = await say(ann.client, 'crank')
    await stage.app.db.transaction((trx) =>
      trx
        .updateTable('tool_call')
        .set({ arguments_sealed: 'v1.AAAA.AAAA' })
        .where('arguments_sealed', 'is not', null)
        .execute(),
    )
    await decide(ann.client, approvals[0]!.approval_id, 'approve')
    const [call] = partsOf(await lastAnswer(ann.client, conversation_id), 'tool_call')
    expect(call?.tool_call).toMatchObject({
      status: 'failed',
      result_preview: expect.stringContaining('sealed with another key'),
    })
    expect(() => readFileSync(join(stage.dataFolder, 'never'))).toThrow('ENOENT')
  })
})
