import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openAudit } from '../server/accounts/audit/audit.ts'
import { ALLOW_COMMANDS, decide, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const HOUR = 3_600_000

describe.each(databases)('what the audit log says of calls on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const list = async (query: object) => (await admin.call(contract.accounts.audit, { query })).items
  const roleOf = async (role_id: string) => {
    const { items } = await admin.call(contract.accounts.listRoles)
    return items.find((role) => role.role_id === role_id)!
  }
  /** The log an hour later, when what was counted has become entries. */
  const laterSweep = () => openAudit(stage.app.db, () => Date.now() + HOUR).sweep()

  test('a call that may change something: who, what with masked arguments, where, how it ended, who approved', async () => {
    const { client, user_id } = await stage.member('lee', [])
    const asked = await say(client, '/system.run_command {"command": "uptime"}')
    await decide(client, asked.approvals[0]!.approval_id, 'approve')
    const [entry] = await list({ action: 'tool.called', actor_id: user_id })
    expect(entry).toMatchObject({
      actor: 'lee',
      actor_display_name: 'lee',
      outcome: 'ok',
      target: expect.stringMatching(/^tc/),
      details: {
        tool: 'system.run_command',
        effect: 'destructive',
        host: 'local',
        status: 'done',
        exit_code: 0,
        duration_ms: expect.any(Number),
        conversation_id: asked.conversation_id,
        approved_by: { username: 'lee', display_name: 'lee' },
      },
    })
    expect(JSON.parse(String(entry!.details['arguments']))).toMatchObject({ command: 'uptime' })
    const [approval] = await list({ action: 'approval.approved', actor_id: user_id })
    expect(approval!.details).toMatchObject({
      tool: 'system.run_command',
      host: 'local',
      asked_by: { user_id, username: 'lee' },
    })
    // What the program said is content of the conversation.
    expect(JSON.stringify([entry, approval])).not.toContain('load average')
  })

  test('a program that fails is told with its exit code, and long arguments are cut', async () => {
    const { client, user_id } = await stage.member('fay', ALLOW_COMMANDS)
    await say(client, `/system.run_command ${JSON.stringify({ command: `exit 3 # ${'x'.repeat(3000)}`, shell: true })}`)
    const [entry] = await list({ action: 'tool.called', actor_id: user_id })
    expect(entry).toMatchObject({ outcome: 'failed', details: { exit_code: 3, arguments_cut: true } })
    expect(String(entry!.details['arguments'])).toHaveLength(2000)
    expect(entry!.details).not.toHaveProperty('approved_by')
  })

  test('calls that only read are counted by hour, kept one by one, or not at all, as the role says', async () => {
    const { client, user_id, role_id } = await stage.member('rea', [])
    expect(await roleOf(role_id)).toMatchObject({ audit_reads: 'count' })
    const keep = (audit_reads: 'off' | 'count' | 'full') =>
      admin.call(contract.accounts.updateRole, { params: { role_id }, body: { audit_reads } })
    await say(client, '/system.host')
    await say(client, '/system.host')
    expect(await list({ actor_id: user_id, tool: 'system.host' })).toEqual([])
    await keep('full')
    await say(client, '/system.memory')
    const [full] = await list({ actor_id: user_id, tool: 'system.memory' })
    expect(full).toMatchObject({ action: 'tool.called', details: { effect: 'read', arguments: '{}', host: 'local' } })
    await keep('off')
    await say(client, '/system.disks')
    await laterSweep()
    await laterSweep()
    const counted = await list({ actor_id: user_id, action: 'tool.counted' })
    expect(counted).toHaveLength(1)
    expect(counted[0]).toMatchObject({
      actor: 'rea',
      outcome: 'ok',
      details: { tool: 'system.host', host: 'local', times: 2, failed: 0 },
    })
    expect(await list({ actor_id: user_id, tool: 'system.disks' })).toEqual([])
    const [role] = await list({ action: 'role.updated', target: role_id })
    expect(role!.details).toMatchObject({ before: { audit_reads: 'full' }, after: { audit_reads: 'off' } })
    expect(await admin.call(contract.accounts.verifyAudit)).toMatchObject({ ok: true })
  })

  test('counts become one entry each, however many processes make them', async () => {
    const { user_id } = await stage.member('many', [])
    const logs = Array.from({ length: 4 }, () => openAudit(stage.app.db, () => Date.now() + HOUR))
    const count = (target: string) =>
      stage.app.db.transaction((trx) =>
        openAudit(stage.app.db, Date.now).count(trx, {
          actor: { user_id, username: 'many' },
          action: 'tool.counted',
          target,
          failed: true,
        }),
      )
    await Promise.all(Array.from({ length: 120 }, (_, i) => count(`system.tool${i % 60}`)))
    await Promise.all(logs.map((log) => log.sweep()))
    const counted = await list({ actor_id: user_id, action: 'tool.counted', limit: 200 })
    expect(counted).toHaveLength(60)
    expect(counted.every(({ details, outcome }) => details['times'] === 2 && outcome === 'failed')).toBe(true)
    expect(await admin.call(contract.accounts.verifyAudit)).toMatchObject({ ok: true })
  })

  test('is searched by tool, by a whole module, by host and by words of the arguments', async () => {
    const { client, user_id } = await stage.member('sue', ALLOW_COMMANDS)
    await say(client, '/system.run_command {"command": "echo Kirschbaum", "shell": true}')
    await say(client, '/system.run_command {"command": "true"}')
    const found = async (query: object) => (await list({ actor_id: user_id, ...query })).length
    expect(await found({ tool: 'system.run_command' })).toBe(2)
    expect(await found({ tool: 'system' })).toBe(2)
    expect(await found({ tool: 'sys' })).toBe(0)
    expect(await found({ host: 'local', q: 'kirschbaum' })).toBe(1)
    expect(await found({ host: 'elsewhere' })).toBe(0)
  })

  test('reads of files, exports and deletions are recorded, a file once an hour, without their content', async () => {
    const { client, user_id } = await stage.member('dee', [])
    const { file } = await client.call(contract.files.upload, {
      body: new TextEncoder().encode('a,b\n1,secret words\n'),
      headers: { 'x-file-name': 'plan.csv', 'content-type': 'text/csv' },
    })
    const params = { file_id: file.file_id }
    await client.call(contract.files.download, { params })
    await client.call(contract.files.download, { params })
    const { conversation_id } = await say(client, 'secret words')
    await client.call(contract.chat.exportConversation, { params: { conversation_id }, query: { format: 'json' } })
    await client.call(contract.chat.deleteConversation, { params: { conversation_id } })
    await client.call(contract.chat.purgeConversation, { params: { conversation_id } })
    await client.call(contract.files.remove, { params })
    const entries = await list({ actor_id: user_id })
    expect(entries.map(({ action, details }) => `${action} ${JSON.stringify(details)}`)).toEqual([
      'file.deleted {"forever":false,"name":"plan.csv"}',
      'conversation.deleted {"forever":true}',
      'conversation.deleted {"forever":false}',
      'conversation.exported {"format":"json"}',
      'file.downloaded {"name":"plan.csv"}',
      expect.stringMatching(/^login /),
    ])
    expect(JSON.stringify(entries)).not.toContain('secret words')
  })

  test('whoever has the permission reads it; by default only administrators', async () => {
    const member = await stage.member('nosy', [])
    const refused = member.client.call(contract.accounts.audit, { query: {} })
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' })
    await expect(member.client.call(contract.accounts.auditAbout)).rejects.toMatchObject({ code: 'forbidden' })
    await stage.setRules(member, [{ subject: 'audit.read', effect: 'allow' }])
    expect((await member.client.call(contract.accounts.audit, { query: {} })).items.length).toBeGreaterThan(0)
    const about = await member.client.call(contract.accounts.auditAbout)
    expect(about).toMatchObject({ keep_days: null, since: expect.any(String) })
    expect(about.people.map(({ username }) => username)).toContain('nosy')
  })
})

describe.each(databases)('an audit log that is kept for some days on $name', (database) => {
  test('loses its oldest entries, and is a chain still', async () => {
    await using stage = await openStage(database, { engine: false })
    const { db } = stage.app
    let now = Date.now()
    const log = openAudit(db, () => now, 30)
    const record = () =>
      db.transaction((trx) => log.record(trx, { actor: null, action: 'test.done', target: '', outcome: 'ok' }))
    await record()
    now += 20 * 24 * HOUR
    await record()
    await record()
    now += 20 * 24 * HOUR
    await log.sweep()
    expect(await log.verify()).toEqual({ ok: true, entries: 2, first_broken_id: null, unchained: 0 })
    expect(await log.kept()).toEqual({ days: 30, since: now - 20 * 24 * HOUR })
    // The newest one stays, so that the next one has something to name.
    now += 200 * 24 * HOUR
    await log.sweep()
    expect(await log.verify()).toMatchObject({ ok: true, entries: 1 })
    await record()
    expect(await log.verify()).toMatchObject({ ok: true, entries: 2 })
    const { audit_id } = await db.read
      .selectFrom('audit')
      .select('audit_id')
      .orderBy('audit_id')
      .executeTakeFirstOrThrow()
    await db.write.deleteFrom('audit').where('audit_id', '=', audit_id).execute()
    expect(await log.verify()).toMatchObject({ ok: false })
  })
})
