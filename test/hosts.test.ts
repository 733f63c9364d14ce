import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOST_LIMITS } from '../contract/host-values.ts'
import { contract } from '../contract/index.ts'
import type { TestClient } from './stage/client.ts'
import { hostKey, type HostStage, openHostStage, refusal } from './stage/hosts/host-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const { addHost, changeSshKey, checkHost, listHosts, pinHost, readHost, removeHost, scanHost, sshKeys, updateHost } =
  contract.hosts

describe.each(databases)('machines on $name', (database) => {
  let stage: HostStage
  let admin: TestClient
  let ann: TestClient
  beforeAll(async () => {
    stage = await openHostStage(database)
    ;({ admin, ann } = stage)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const names = async (client: TestClient) => (await client.call(listHosts)).items.map(({ name }) => name)

  test('the one that Reeve runs on is always there, and is all that others than administrators see', async () => {
    const host = await stage.add('web-1', { tags: ['web', 'Berlin', 'web'] })
    expect(host).toMatchObject({
      address: 'web-1.example',
      port: 22,
      account: 'reeve',
      jump_host_id: null,
      tags: ['berlin', 'web'],
      disabled: false,
      pinned: null,
      state: 'key_unknown',
      facts: null,
      checked_at: null,
    })
    expect(await names(admin)).toEqual(['local', 'web-1'])
    expect(await names(ann)).toEqual(['local'])
    const params = { host_id: host.host_id }
    expect(await refusal(ann.call(readHost, { params }))).toBe('404 not_found')
    expect(await admin.call(readHost, { params })).toEqual(host)
    expect(await ann.call(readHost, { params: { host_id: 'local' } })).toMatchObject({ name: 'local', state: 'ok' })
    for (const route of [scanHost, checkHost, removeHost])
      expect(await refusal(ann.call(route, { params }))).toBe('403 forbidden')
    expect(await refusal(ann.call(sshKeys))).toBe('403 forbidden')
    await stage.clear()
  })

  test('no access token adds, changes, pins or removes one, whoever it belongs to', async () => {
    const { token } = await admin.call(contract.accounts.createToken, { body: { name: 'script' } })
    const { host_id } = await stage.add('web-1')
    const script = stage.app.anonymous()
    script.bearer = token
    const params = { host_id }
    const asked = [
      script.call(addHost, { body: { name: 'x', address: 'x' } }),
      script.call(updateHost, { params, body: { tags: ['mine'] } }),
      script.call(pinHost, { params, body: { host_key: hostKey() } }),
      script.call(scanHost, { params }),
      script.call(removeHost, { params }),
      script.call(changeSshKey, { body: { change: 'begin' } }),
    ]
    expect(await Promise.all(asked.map(refusal))).toEqual(asked.map(() => '403 forbidden'))
    expect((await script.call(listHosts)).items.map(({ name }) => name)).toEqual(['local', 'web-1'])
    await stage.clear()
  })

  test('names, addresses, accounts and tags are what they may be', async () => {
    const attempt = (more: object) => refusal(admin.call(addHost, { body: { name: 'x', address: 'x', ...more } }))
    const wrong = [
      ...['', ' ', '-x', 'a b', 'a:b', 'a@b', '#a', 'ü', 'x'.repeat(64)].map((name) => ({ name })),
      ...['', 'a b', 'root@a', 'a:22', '[::1]', '::1::', '-oProxyCommand=x', 'a..b', 'a/b', 'x'.repeat(254)].map(
        (address) => ({ address }),
      ),
      ...['', '-l', 'a b', 'a:b', 'x'.repeat(33)].map((account) => ({ account })),
      ...[0, 65_536, 1.5].map((port) => ({ port })),
      ...['all', 'ALL', '', '#web', 'a b', 'x'.repeat(33)].map((tag) => ({ tags: [tag] })),
      { tags: Array.from({ length: HOST_LIMITS.tags + 1 }, (_, at) => `tag-${at}`) },
    ]
    for (const more of wrong) expect([more, await attempt(more)]).toEqual([more, '422 invalid_request'])
    for (const address of ['10.0.0.1', '2001:db8::7', '::1', 'a.b.example.', 'web_1', 'xn--bcher-kva.example'])
      expect([address, (await stage.add('fine', { address })).address, await stage.clear()]).toEqual([
        address,
        address,
        undefined,
      ])
    expect(await names(admin)).toEqual(['local'])
  })

  test('a name is had once, whatever its case, and `local` is taken', async () => {
    const [first, second] = [await stage.add('web-1'), await stage.add('web-2')]
    expect(await refusal(stage.add('WEB-1'))).toBe('409 host_exists')
    expect(await refusal(stage.add('Local'))).toBe('409 host_exists')
    const params = { host_id: second.host_id }
    expect(await refusal(admin.call(updateHost, { params, body: { name: 'Web-1' } }))).toBe('409 host_exists')
    const renamed = await admin.call(updateHost, { params: { host_id: first.host_id }, body: { name: 'WEB-1' } })
    expect(renamed.host.name).toBe('WEB-1')
    await stage.clear()
  })

  test(`there are at most ${HOST_LIMITS.hosts}, the local one included`, async () => {
    const { db } = stage.app.app
    const rows = Array.from({ length: HOST_LIMITS.hosts - 2 }, (_, at) => ({
      host_id: `hst_${at}`,
      name: `m${at}`,
      name_folded: `m${at}`,
      address: 'a',
      port: 22,
      account: 'a',
      created_at: 1,
    }))
    await db.transaction((trx) => trx.insertInto('host').values(rows).execute())
    await stage.add('the-last')
    expect(await refusal(stage.add('one-more'))).toBe('409 too_many_hosts')
    expect(await names(admin)).toHaveLength(HOST_LIMITS.hosts)
    await db.transaction((trx) => trx.deleteFrom('host').where('host_id', '!=', 'local').execute())
  })

  test('lead through one another, at most three in a row, and never in a circle', async () => {
    const a = await stage.add('a')
    const b = await stage.add('b', { jump_host_id: a.host_id })
    const c = await stage.add('c', { jump_host_id: b.host_id })
    const d = await stage.add('d', { jump_host_id: c.host_id })
    const through = ({ host_id }: { host_id: string }, jump_host_id: string | null) =>
      refusal(admin.call(updateHost, { params: { host_id }, body: { jump_host_id } }))
    expect(await refusal(stage.add('e', { jump_host_id: d.host_id }))).toBe('400 host_jump')
    expect(await refusal(stage.add('e', { jump_host_id: 'local' }))).toBe('400 host_jump')
    expect(await refusal(stage.add('e', { jump_host_id: 'hst_nobody' }))).toBe('400 host_jump')
    expect(await through(a, d.host_id)).toBe('400 host_jump')
    expect(await through(a, a.host_id)).toBe('400 host_jump')
    // What is behind it counts as well.
    const before = await stage.add('before')
    expect(await through(a, before.host_id)).toBe('400 host_jump')
    expect(await through(d, null)).toBe('accepted')
    expect(await through(a, before.host_id)).toBe('accepted')
    expect(await refusal(admin.call(removeHost, { params: { host_id: before.host_id } }))).toBe('409 host_in_use')
    await stage.clear()
  })

  test('of the local one only the tags change, and everybody is told', async () => {
    const params = { host_id: 'local' }
    for (const body of [{ name: 'mine' }, { address: 'a' }, { disabled: true }])
      expect(await refusal(admin.call(updateHost, { params, body }))).toBe('409 host_is_local')
    expect(await refusal(admin.call(removeHost, { params }))).toBe('409 host_is_local')
    expect(await refusal(admin.call(pinHost, { params, body: { host_key: hostKey() } }))).toBe('409 host_is_local')
    expect(await refusal(admin.call(scanHost, { params }))).toBe('409 host_is_local')
    const tag = async () => (await ann.fetch('/api/hosts')).headers.get('etag')
    const before = await tag()
    expect(await tag()).toBe(before)
    await admin.call(updateHost, { params, body: { tags: ['here'] } })
    expect(await tag()).not.toBe(before)
    expect((await ann.call(readHost, { params })).tags).toEqual(['here'])
    expect(await refusal(admin.call(checkHost, { params }))).toBe('409 host_is_local')
    expect(await ann.call(readHost, { params })).toMatchObject({
      state: 'ok',
      facts: { system: expect.any(String), kernel: expect.stringMatching(/^Linux /), clock_offset_ms: 0 },
    })
    await admin.call(updateHost, { params, body: { tags: [] } })
  })

  test('every change is told to administrators, and to nobody else', async () => {
    const tags = async () =>
      Promise.all([admin, ann].map(async (client) => (await client.fetch('/api/hosts')).headers.get('etag')))
    // Where there are several, tools have an argument more, for everybody.
    await stage.add('zz-1')
    let [before, others] = await tags()
    const changes: (() => Promise<unknown>)[] = [
      () => stage.add('web-1'),
      async () => admin.call(updateHost, { params: await first(), body: { tags: ['web'] } }),
      async () => admin.call(pinHost, { params: await first(), body: { host_key: hostKey() } }),
      async () => admin.call(updateHost, { params: await first(), body: { disabled: true } }),
      async () => admin.call(removeHost, { params: await first() }),
    ]
    const first = async () => ({ host_id: (await admin.call(listHosts)).items[1]!.host_id })
    for (const change of changes) {
      await change()
      const [now, same] = await tags()
      expect(now).not.toBe(before)
      expect(same).toBe(others)
      ;[before, others] = [now, same]
    }
    await stage.clear()
  })

  test('whoever becomes an administrator is not answered from what they had seen before', async () => {
    await stage.app.as('eve')
    await stage.add('web-1')
    const eve = await stage.app.signIn('eve')
    const { user } = await eve.call(contract.accounts.session)
    const etag = (await eve.fetch('/api/hosts')).headers.get('etag')!
    const { items } = await admin.call(contract.accounts.listRoles)
    const role_id = items.find((role) => role.admin)!.role_id
    await admin.call(contract.accounts.updateUser, { params: { user_id: user.id }, body: { role_id } })
    const again = await eve.fetch('/api/hosts', { headers: { 'if-none-match': etag } })
    expect(again.headers.get('etag')).not.toBe(etag)
    await stage.clear()
  })

  test('everything that is done about one is in the audit log', async () => {
    const { host_id } = await stage.add('db-7', { tags: ['db'] })
    const params = { host_id }
    await admin.call(updateHost, { params, body: { tags: ['db', 'old'], disabled: true } })
    expect(await refusal(admin.call(checkHost, { params }))).toBe('409 host_disabled')
    expect(await refusal(admin.call(scanHost, { params }))).toBe('409 host_disabled')
    await admin.call(removeHost, { params })
    const entries = (await stage.audit('db-7')).map(({ action, details }) => [action, details])
    expect(entries).toEqual([
      ['host.removed', { address: 'db-7.example', host_id, state: null }],
      [
        'host.updated',
        {
          host_id,
          before: expect.objectContaining({ tags: ['db'], disabled: false }),
          after: expect.objectContaining({ tags: ['db', 'old'], disabled: true }),
        },
      ],
      ['host.added', expect.objectContaining({ host_id, name: 'db-7', address: 'db-7.example', tags: ['db'] })],
    ])
  })
})
