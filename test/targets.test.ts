import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { decide, lastAnswer } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { type FleetStage, openFleet, typed } from './stage/hosts/fleet-stage.ts'
import { hostKey } from './stage/hosts/host-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { sshdMissing } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const skipped = sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`

describe.skipIf(sshdMissing !== null).each(databases)(`calls on machines, on $name${skipped}`, (database) => {
  let fleet: FleetStage
  let admin: TestClient
  beforeAll(async () => {
    fleet = await openFleet(database)
    admin = fleet.admin
  })
  afterAll(() => fleet[Symbol.asyncDispose]())
  afterEach(() => fleet.clear())

  const tools = async (client: TestClient) => (await client.call(contract.chat.listTools)).items
  const run = (script: string, host: unknown) =>
    `/system.run_command ${JSON.stringify({ command: script, shell: true, host })}`
  const audit = async (q: string) => (await admin.call(contract.accounts.audit, { query: { q, limit: 50 } })).items
  const rows = async (tool_call_id: string) => {
    const found = await fleet.stage.app.db.read
      .selectFrom('tool_call_host')
      .select(['name', 'status', 'text'])
      .where('tool_call_id', '=', tool_call_id)
      .execute()
    return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  test('the argument is there as soon as there are two machines, and the definition stays as it is', async () => {
    const hash = async () => {
      const { call } = await typed(admin, '/system.disks')
      const row = await fleet.stage.app.db.read
        .selectFrom('tool_call')
        .select(['definition_hash', 'targets'])
        .where('tool_call_id', '=', call!.tool_call_id)
        .executeTakeFirstOrThrow()
      return row
    }
    const before = await hash()
    expect((await typed(admin, '/system.disks host=local')).answer).toContain('there is no argument `host`')
    await fleet.add('web-1')
    const argument = (await tools(admin)).find(({ tool }) => tool === 'disks')!
    expect(JSON.stringify(argument)).toContain('"host"')
    expect(await hash()).toEqual(before)
    expect((await typed(admin, '/system.disks host=local')).result.tool_calls_executed).toMatchObject([
      { status: 'done' },
    ])
    await fleet.clear()
    expect(JSON.stringify((await tools(admin)).find(({ tool }) => tool === 'disks'))).not.toContain('"host"')
  })

  test('one that is named alone answers as it does; several, or a tag, as one table with the machine first', async () => {
    await fleet.add('web-1', ['web'])
    await fleet.add('Web-2', ['web'])
    const alone = await typed(admin, '/system.disks host=WEB-2')
    expect(alone.call).toMatchObject({ status: 'done', targets: [{ name: 'Web-2' }] })
    expect(alone.tables[0]!.columns.map(({ key }) => key)).not.toContain('host')
    const { call, tables, answer } = await typed(admin, '/system.disks host=#web host=local')
    expect(call).toMatchObject({ status: 'done', targets: [{ name: 'local' }, { name: 'web-1' }, { name: 'Web-2' }] })
    expect(answer).toContain('Done on all 3 machines.')
    expect(tables[0]).toMatchObject({ title: 'Machines', total_rows: 3 })
    const disks = tables[1]!
    expect(disks.columns[0]).toEqual({ key: 'host', label: 'Machine', type: 'text' })
    expect([...new Set(disks.rows.map((row) => row.host))]).toEqual(['local', 'web-1', 'Web-2'])
    expect(disks.total_rows).toBe(disks.rows.length)
    expect(await rows(call!.tool_call_id)).toMatchObject([
      { name: 'Web-2', status: 'done' },
      { name: 'local', status: 'done' },
      { name: 'web-1', status: 'done' },
    ])
  })

  test('what may change something must name its machine; nobody guesses', async () => {
    await fleet.add('web-1', ['web'])
    const off = await fleet.add('web-2', ['web'])
    await fleet.update(off, { disabled: true })
    const said = async (text: string) => (await typed(admin, text)).answer
    expect(await said(run('true', undefined))).toContain('name the machine in “host”: local, web-1.')
    expect(await said(run('true', 'web-9'))).toContain('There is no machine “web-9”. There are: local, web-1.')
    expect(await said('/system.disks host=#db')).toContain('There is no machine “#db”.')
    expect(await said('/system.disks host=web-2')).toContain('“web-2” is disabled here: nothing connects to it.')
    expect(await said('/system.disks host=[]')).toContain('"host" must be the name of a machine')
    // Of a tag, those that are disabled are left out.
    expect((await typed(admin, '/system.disks host=#web')).call).toMatchObject({ targets: [{ name: 'web-1' }] })
  })

  test('a call on another machine is approved for it, runs there, and the audit log names it', async () => {
    const host_id = await fleet.add('web-1')
    const asked = await typed(admin, run('echo "home is $HOME"', 'web-1'))
    const card = asked.result.approvals[0]!
    expect(card).toMatchObject({ targets: [{ host_id, name: 'web-1' }] })
    // Nothing that may delete is freed ahead on another machine.
    expect(card.offers).toBeUndefined()
    const { result } = await decide(admin, card.approval_id, 'approve')
    expect(result!.tool_calls_executed).toMatchObject([{ status: 'done' }])
    const entry = (await audit('run_command')).find(({ action }) => action === 'tool.called')!
    expect(entry.details).toMatchObject({ host: 'web-1', hosts: [{ host_id, name: 'web-1', status: 'done' }] })
    const approved = (await audit(card.approval_id)).find(({ action }) => action === 'approval.approved')!
    expect(approved.details).toMatchObject({ hosts: [{ host_id, name: 'web-1' }] })
    const [row] = await rows(entry.target)
    expect(row).toMatchObject({ name: 'web-1', status: 'done' })
    expect(row!.text).toContain(`home is ${fleet.server.home}`)
  })

  test('another key, or another member of the tag, is another card', async () => {
    const web = await fleet.add('web-1', ['web'])
    const asked = await typed(admin, run('true', '#web'))
    const first = asked.result.approvals[0]!
    await fleet.add('web-2', ['web'])
    const second = (await decide(admin, first.approval_id, 'approve')).result!.approvals[0]!
    expect(second.approval_id).not.toBe(first.approval_id)
    expect(second.reason).toContain('Something changed since it was approved.')
    expect(second.targets?.map(({ name }) => name)).toEqual(['web-1', 'web-2'])
    await admin.call(contract.hosts.pinHost, {
      params: { host_id: web },
      body: { host_key: hostKey() },
    })
    const third = (await decide(admin, second.approval_id, 'approve')).result!.approvals[0]!
    expect(third.approval_id).not.toBe(second.approval_id)
    // It shows another key now: nothing signs in, and the second machine is not begun.
    const { result } = await decide(admin, third.approval_id, 'approve')
    expect(result!.tool_calls_executed).toMatchObject([{ status: 'failed' }])
    const { tool_call_id } = result!.tool_calls_executed[0]!
    expect(await rows(tool_call_id)).toMatchObject([
      { name: 'web-1', status: 'failed' },
      { name: 'web-2', status: 'skipped' },
    ])
  })

  test('writes go to one machine first, and no further after one that failed', async () => {
    for (const name of ['a-1', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6', 'a-7']) await fleet.add(name, ['a'])
    const marks = `${fleet.server.home}/marks`
    const go = async (script: string) => {
      const asked = await typed(admin, run(script, '#a'))
      const { result } = await decide(admin, asked.result.approvals[0]!.approval_id, 'approve')
      const { tool_call_id, status } = result!.tool_calls_executed[0]!
      return { status, hosts: (await rows(tool_call_id)).map((row) => row.status) }
    }
    expect(await go(`echo x >> ${marks}`)).toEqual({ status: 'done', hosts: Array(7).fill('done') })
    expect(await go('false')).toEqual({ status: 'failed', hosts: ['failed', ...Array(6).fill('skipped')] })
    // The second to run fails, whichever that is; those that run beside it end.
    const { status, hosts } = await go(`mkdir ${marks}.1 || mkdir ${marks}.2 || exit 1`)
    expect(status).toBe('failed')
    expect(hosts.filter((one) => one === 'done')).toHaveLength(2)
    expect(hosts.filter((one) => one === 'skipped').length).toBeGreaterThanOrEqual(1)
  })

  test('a machine that goes away in the middle of a command leaves it unknown, and the run goes on', async () => {
    await fleet.add('web-1')
    const begun = join(fleet.server.home, 'begun')
    const asked = await typed(admin, run(`touch ${begun}; exec sleep 600`, 'web-1'))
    const decided = decide(admin, asked.result.approvals[0]!.approval_id, 'approve')
    await until(() => existsSync(begun), { what: 'the command runs' })
    // Nothing but what sshd of this stage has started.
    for (const pid of fleet.server.sessions()) process.kill(pid, 'SIGKILL')
    const { result } = await decided
    expect(result!.tool_calls_executed).toMatchObject([{ status: 'unknown' }])
    expect((await lastAnswer(admin, asked.result.conversation_id)).status).toBe('complete')
  })

  test('a grant for one machine serves no other one, and ends with its key', async () => {
    const { client } = await fleet.stage.member('granted', [
      { subject: 'host:#all', effect: 'allow' },
      { subject: 'tool:system.disks', effect: 'ask', approvers: [] },
    ])
    const web = await fleet.add('web-1', ['web'])
    await fleet.add('db-1', ['web'])
    const asked = await typed(client, '/system.disks host=web-1')
    const { conversation_id } = asked.result
    const grant = { offer_id: 'same', uses: 20, minutes: 60 }
    await decide(client, asked.result.approvals[0]!.approval_id, 'approve', { grant })
    const again = async (host: string) => {
      const { result } = await typed(client, `/system.disks host=${host}`, { conversation_id })
      if (result.approvals.length > 0) await client.call(contract.chat.cancel, { body: {} })
      return result.approvals.length === 0
    }
    expect(await again('web-1')).toBe(true)
    for (const host of ['db-1', 'local', '#web', '#all']) expect([host, await again(host)]).toEqual([host, false])
    await admin.call(contract.hosts.pinHost, {
      params: { host_id: web },
      body: { host_key: hostKey() },
    })
    expect(await again('web-1')).toBe(false)
  })

  test('without a rule only this machine; with one those that it names, in calls and in the list', async () => {
    await fleet.add('web-1', ['web'])
    await fleet.add('db-1', ['db'])
    const plain = await fleet.stage.member('plain', [])
    const webs = await fleet.stage.member('webs', [{ subject: 'host:#web', effect: 'allow' }])
    const fenced = await fleet.stage.member('fenced', [
      { subject: 'host:#all', effect: 'allow' },
      { subject: 'tool:system.disks@DB-1', effect: 'deny' },
    ])
    const answer = async ({ client }: { client: TestClient }, host: string) =>
      (await typed(client, `/system.disks host=${host}`)).call?.status
    const seen = async ({ client }: { client: TestClient }) =>
      (await client.call(contract.hosts.listHosts)).items.map(({ name }) => name)
    expect(await seen(plain)).toEqual(['local'])
    expect(await seen(webs)).toEqual(['local', 'web-1'])
    expect(await seen(fenced)).toEqual(['local', 'db-1', 'web-1'])
    expect(await answer(plain, 'local')).toBe('done')
    expect(await answer(plain, 'web-1')).toBe('denied')
    expect(await answer(webs, '#web')).toBe('done')
    expect(await answer(webs, '#all')).toBe('denied')
    expect(await answer(fenced, 'web-1')).toBe('done')
    // One that is denied refuses the call, and is named.
    const refused = await typed(fenced.client, '/system.disks host=#all')
    expect(refused.call).toMatchObject({ status: 'denied' })
    expect(refused.call!.result_preview).toContain('On “db-1”: ')
    await fleet.stage.setRules(webs, [])
    expect(await seen(webs)).toEqual(['local'])
  })

  test('explained, replayed and tried on the machines that calls were about', async () => {
    await fleet.add('web-1', ['web'])
    const someone = await fleet.stage.member('replayed', [{ subject: 'host:#all', effect: 'allow' }])
    await typed(someone.client, '/system.disks host=web-1')
    await typed(someone.client, '/system.disks host=local')
    const explain = async (host?: string) => {
      const body = { role: 'role of replayed', tool: 'system.disks', ...(host !== undefined && { host }) }
      return (await admin.call(contract.accounts.explainPolicy, { body })).effect
    }
    const deny = { subject: 'tool:system.disks@#web', effect: 'deny' as const }
    expect([await explain(), await explain('web-1'), await explain('#web')]).toEqual(['allow', 'allow', 'allow'])
    const rules = [
      { subject: 'host:#all', effect: 'allow' as const },
      { subject: 'tool:system.disks', effect: 'allow' as const },
      deny,
    ]
    const replayed = await admin.call(contract.accounts.simulatePolicy, { body: { role_id: someone.role_id, rules } })
    expect(replayed).toMatchObject({ missing: 0, changed: 1, items: [{ tool: 'disks', calls: 1, given: 'deny' }] })
    const tried = await admin.call(contract.accounts.tryRule, { body: { role_id: someone.role_id, rule: deny } })
    expect(tried.problem).toBeNull()
    expect(tried.past).toMatchObject({ calls: 1, applies: 1 })
    await fleet.stage.setRules(someone, [...rules])
    expect([await explain(), await explain('web-1'), await explain('#web')]).toEqual(['allow', 'deny', 'deny'])
    await expect(explain('web-9')).rejects.toMatchObject({ code: 'not_found' })
    const wrong = { role_id: someone.role_id, rule: { ...deny, subject: 'tool:files.read@web-1' } }
    expect((await admin.call(contract.accounts.tryRule, { body: wrong })).problem).toMatchObject({ code: 'bad_rule' })
    const blind = { ...deny, subject: 'tool:system.disks', when: [{ at: '/host', is: 'web-1' }] }
    const { problem } = await admin.call(contract.accounts.tryRule, { body: { ...wrong, rule: blind } })
    expect(problem?.message).toContain('Conditions do not see the machine')
  })
})
