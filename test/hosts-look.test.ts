import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { LOOKS_AT_ONCE } from '../server/chat/targets/look.ts'
import type { ProblemAnswer } from './stage/client.ts'
import { type TestClient } from './stage/client.ts'
import { type FleetStage, openFleet } from './stage/hosts/fleet-stage.ts'
import { startRawServer } from './stage/hosts/odd-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { sshdMissing } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const { lookAtHost, hostTools } = contract.hostWork
const skipped = sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`

describe.skipIf(sshdMissing !== null).each(databases)(`looking at a machine, on $name${skipped}`, (database) => {
  let fleet: FleetStage
  let web: string
  beforeAll(async () => {
    fleet = await openFleet(database)
    web = await fleet.add('web-1', ['web'])
  })
  afterAll(() => fleet[Symbol.asyncDispose]())

  const look = (client: TestClient, host_id: string, tool: string, args: Record<string, unknown> = {}) =>
    client.call(lookAtHost, { params: { host_id }, body: { tool, arguments: args } })
  const refusal = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'done',
      (error: ProblemAnswer) => `${error.status} ${error.code}: ${error.problem.detail}`,
    )
  const effectOf = async (client: TestClient, host_id: string, name: string) => {
    const { items } = await client.call(hostTools, { params: { host_id } })
    return items.find(({ tool }) => tool === name)
  }

  test('a reading tool answers with its tables, on this machine and on another one', async () => {
    for (const host_id of ['local', web]) {
      const { status, tables, text } = await look(fleet.admin, host_id, 'disks')
      expect([status, text]).toEqual(['done', expect.any(String)])
      expect(tables[0]!.rows.length).toBeGreaterThan(0)
    }
    // Nothing of it is a conversation.
    const { items } = await fleet.admin.call(contract.chat.listConversations, { query: {} })
    expect(items).toEqual([])
  })

  test('what a machine cannot do is an answer, in its own words', async () => {
    const answer = await look(fleet.admin, web, 'disk_usage', { path: '/no/such/folder' })
    expect(answer).toMatchObject({ status: 'failed', tables: [], text: expect.stringContaining('/no/such/folder') })
  })

  test('tools that change something, helpers of others and arguments that do not fit are refused', async () => {
    const service = look(fleet.admin, web, 'service', { unit: 'x.service', action: 'stop' })
    expect(await refusal(service)).toMatch(/^422 invalid_request: .*needs a conversation/)
    const preview = { unit: 'x.service', action: 'stop' }
    expect(await refusal(look(fleet.admin, web, 'preview_service', preview))).toMatch(/^404 not_found/)
    expect(await refusal(look(fleet.admin, web, 'none'))).toMatch(/^404 not_found/)
    expect(await refusal(look(fleet.admin, web, 'disks', { host: '#all' }))).toMatch(/^422 invalid_request/)
    expect(await refusal(look(fleet.admin, web, 'logs', { lines: 5000 }))).toMatch(/^422 invalid_request.*do not fit/)
    const large = look(fleet.admin, web, 'logs', { contains: 'x'.repeat(300_000) })
    expect(await refusal(large)).toMatch(/^422 invalid_request.*too large/)
  })

  test('rules decide as in a conversation: deny with the reason, ask says where', async () => {
    const { client, ...member } = await fleet.stage.member('looker', [
      { subject: 'host:web-1', effect: 'allow' },
      { subject: 'tool:system.disks', effect: 'deny' },
      { subject: 'tool:system.timers', effect: 'ask', approvers: [] },
    ])
    expect(await refusal(look(client, web, 'disks'))).toMatch(/^403 forbidden: .+/)
    expect(await refusal(look(client, web, 'timers'))).toMatch(/^409 approval_required: .+/)
    expect((await look(client, web, 'host')).status).toBe('done')
    expect(await effectOf(client, web, 'disks')).toMatchObject({ policy: 'deny', reason: expect.stringMatching(/.+/) })
    expect(await effectOf(client, web, 'timers')).toMatchObject({ policy: 'ask' })
    expect(await effectOf(client, web, 'preview_service')).toBeUndefined()
    await fleet.stage.setRules({ client, ...member }, [
      { subject: 'host:web-1', effect: 'allow' },
      { subject: 'tool:system.disks@web-1', effect: 'deny' },
    ])
    expect(await effectOf(client, web, 'disks')).toMatchObject({ policy: 'deny' })
    expect(await effectOf(client, 'local', 'disks')).toMatchObject({ policy: 'allow' })
    expect(await refusal(look(client, web, 'disks'))).toMatch(/^403 forbidden/)
    expect((await look(client, 'local', 'disks')).status).toBe('done')
  })

  test('a machine that somebody may not use is none, for its tools too', async () => {
    const { client } = await fleet.stage.member('stranger')
    expect(await refusal(look(client, web, 'host'))).toBe('404 not_found: There is no such machine.')
    expect(await refusal(client.call(hostTools, { params: { host_id: web } }))).toMatch(/^404/)
    expect((await look(client, 'local', 'host')).status).toBe('done')
    expect(await refusal(look(client, 'none', 'host'))).toMatch(/^404/)
  })

  test('a disabled machine is left alone', async () => {
    const off = await fleet.add('off-1')
    await fleet.update(off, { disabled: true })
    expect(await refusal(look(fleet.admin, off, 'host'))).toMatch(/^409 host_disabled: .*off-1/)
  })

  test('one person looks at eight things at once, and others are not held up by it', async () => {
    await using silent = await startRawServer(() => undefined)
    const host_id = await fleet.add('silent-1', [], { port: silent.port })
    const leaving = new AbortController()
    const waiting: Promise<unknown>[] = []
    const full = async () => {
      const body = { tool: 'host' }
      const more = { params: { host_id }, body, signal: leaving.signal }
      for (let i = 0; i < LOOKS_AT_ONCE; i++) waiting.push(fleet.admin.call(lookAtHost, more).catch(() => null))
      return (await refusal(look(fleet.admin, web, 'host'))) !== 'done'
    }
    await until(full, { what: 'the limit' })
    expect(await refusal(look(fleet.admin, web, 'host'))).toMatch(/^429 looks_busy/)
    const { client } = await fleet.stage.member('patient')
    expect((await look(client, 'local', 'host')).status).toBe('done')
    // Whoever leaves makes room.
    leaving.abort()
    await Promise.all(waiting)
    await until(async () => (await refusal(look(fleet.admin, web, 'host'))) === 'done', { what: 'a place' })
  })

  test('the audit log keeps it as far as the role says', async () => {
    const entries = async () =>
      (await fleet.admin.call(contract.accounts.audit, { query: { action: 'tool.called' } })).items
    const before = (await entries()).length
    await look(fleet.admin, web, 'host')
    expect(await entries()).toHaveLength(before)
    const { items } = await fleet.admin.call(contract.accounts.listRoles)
    const role = items.find(({ name }) => name === 'admin')!
    const keep = (audit_reads: 'off' | 'full') =>
      fleet.admin.call(contract.accounts.updateRole, { params: { role_id: role.role_id }, body: { audit_reads } })
    await keep('full')
    await look(fleet.admin, web, 'disk_usage', { path: '/etc' })
    await keep('off')
    expect((await entries())[0]).toMatchObject({
      outcome: 'ok',
      details: { tool: 'system.disk_usage', host: 'web-1', arguments: expect.stringContaining('/etc') },
    })
  })

  test('a module that is switched off has no tools', async () => {
    const switched = (enabled: boolean) =>
      fleet.admin.call(contract.modules[enabled ? 'enable' : 'disable'], {
        params: { module_name: 'system' },
      })
    await switched(false)
    expect(await refusal(look(fleet.admin, web, 'host'))).toMatch(/^404 not_found: .*switched off/)
    expect((await fleet.admin.call(hostTools, { params: { host_id: web } })).items).toEqual([])
    await switched(true)
    expect((await look(fleet.admin, web, 'host')).status).toBe('done')
  })
})
