import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOST_LIMITS } from '../contract/host-values.ts'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const {
  addHost,
  changeSshKey,
  checkHost,
  listHosts,
  pinHost,
  readHost,
  removeHost,
  scanHost,
  setupScript,
  sshKeys,
  updateHost,
} = contract.hosts

async function refusal(asked: Promise<unknown>): Promise<string> {
  return asked.then(
    () => 'accepted',
    (error: ProblemAnswer) => `${error.status} ${error.code}`,
  )
}

/** A line such as the setup script prints. */
function hostKey(): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const length = (bytes: number) => Buffer.from([0, 0, 0, bytes])
  const bytes = Buffer.concat([length(11), Buffer.from('ssh-ed25519'), length(32), Buffer.from(x!, 'base64url')])
  return `ssh-ed25519 ${bytes.toString('base64')}`
}

function rsaKey(): string {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const number = Buffer.concat([Buffer.from([0]), Buffer.from(n!, 'base64url')])
  return Buffer.concat([field(Buffer.from('ssh-rsa')), field(Buffer.from(e!, 'base64url')), field(number)]).toString(
    'base64',
  )
}

describe.each(databases)('machines on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  let ann: TestClient
  beforeAll(async () => {
    app = await startTestApp({ database })
    admin = await app.as('admin')
    ann = await app.as('ann')
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const add = async (name: string, more: object = {}) =>
    (await admin.call(addHost, { body: { name, address: `${name}.example`, ...more } })).host
  const names = async (client: TestClient) => (await client.call(listHosts)).items.map(({ name }) => name)
  const audit = async (q: string) => (await admin.call(contract.accounts.audit, { query: { q, limit: 200 } })).items
  /** Removes everything, those behind others first. */
  const clear = async () => {
    for (let left = 1; left > 0;) {
      const { items } = await admin.call(listHosts)
      const ways = new Set(items.map(({ jump_host_id }) => jump_host_id))
      const free = items.filter(({ host_id }) => host_id !== 'local' && !ways.has(host_id))
      for (const { host_id } of free) await admin.call(removeHost, { params: { host_id } })
      left = free.length
    }
  }

  test('the one that Reeve runs on is always there, and is all that others than administrators see', async () => {
    const host = await add('web-1', { tags: ['web', 'Berlin', 'web'] })
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
    await clear()
  })

  test('no access token adds, changes, pins or removes one, whoever it belongs to', async () => {
    const { token } = await admin.call(contract.accounts.createToken, { body: { name: 'script' } })
    const { host_id } = await add('web-1')
    const script = app.anonymous()
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
    await clear()
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
      expect([address, (await add('fine', { address })).address, await clear()]).toEqual([address, address, undefined])
    expect(await names(admin)).toEqual(['local'])
  })

  test('a name is had once, whatever its case, and `local` is taken', async () => {
    const [first, second] = [await add('web-1'), await add('web-2')]
    expect(await refusal(add('WEB-1'))).toBe('409 host_exists')
    expect(await refusal(add('Local'))).toBe('409 host_exists')
    const params = { host_id: second.host_id }
    expect(await refusal(admin.call(updateHost, { params, body: { name: 'Web-1' } }))).toBe('409 host_exists')
    const renamed = await admin.call(updateHost, { params: { host_id: first.host_id }, body: { name: 'WEB-1' } })
    expect(renamed.host.name).toBe('WEB-1')
    await clear()
  })

  test(`there are at most ${HOST_LIMITS.hosts}, the local one included`, async () => {
    const { db } = app.app
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
    await add('the-last')
    expect(await refusal(add('one-more'))).toBe('409 too_many_hosts')
    expect(await names(admin)).toHaveLength(HOST_LIMITS.hosts)
    await db.transaction((trx) => trx.deleteFrom('host').where('host_id', '!=', 'local').execute())
  })

  test('lead through one another, at most three in a row, and never in a circle', async () => {
    const a = await add('a')
    const b = await add('b', { jump_host_id: a.host_id })
    const c = await add('c', { jump_host_id: b.host_id })
    const d = await add('d', { jump_host_id: c.host_id })
    const through = ({ host_id }: { host_id: string }, jump_host_id: string | null) =>
      refusal(admin.call(updateHost, { params: { host_id }, body: { jump_host_id } }))
    expect(await refusal(add('e', { jump_host_id: d.host_id }))).toBe('400 host_jump')
    expect(await refusal(add('e', { jump_host_id: 'local' }))).toBe('400 host_jump')
    expect(await refusal(add('e', { jump_host_id: 'hst_nobody' }))).toBe('400 host_jump')
    expect(await through(a, d.host_id)).toBe('400 host_jump')
    expect(await through(a, a.host_id)).toBe('400 host_jump')
    // What is behind it counts as well.
    const before = await add('before')
    expect(await through(a, before.host_id)).toBe('400 host_jump')
    expect(await through(d, null)).toBe('accepted')
    expect(await through(a, before.host_id)).toBe('accepted')
    expect(await refusal(admin.call(removeHost, { params: { host_id: before.host_id } }))).toBe('409 host_in_use')
    await clear()
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
    let [before, others] = await tags()
    const changes: (() => Promise<unknown>)[] = [
      () => add('web-1'),
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
  })

  test('whoever becomes an administrator is not answered from what they had seen before', async () => {
    await app.as('eve')
    await add('web-1')
    const eve = await app.signIn('eve')
    const { user } = await eve.call(contract.accounts.session)
    const etag = (await eve.fetch('/api/hosts')).headers.get('etag')!
    const { items } = await admin.call(contract.accounts.listRoles)
    const role_id = items.find((role) => role.admin)!.role_id
    await admin.call(contract.accounts.updateUser, { params: { user_id: user.id }, body: { role_id } })
    const again = await eve.fetch('/api/hosts', { headers: { 'if-none-match': etag } })
    expect(again.headers.get('etag')).not.toBe(etag)
    await clear()
  })

  describe('a host key', () => {
    test('is pinned from the line that the script printed, and is what signing in needs', async () => {
      const { host_id } = await add('web-1')
      const params = { host_id }
      const line = hostKey()
      const pin = (host_key: string) => refusal(admin.call(pinHost, { params, body: { host_key } }))
      for (const text of [
        'nothing',
        'ssh-ed25519',
        'ssh-ed25519 AAAA',
        line.slice(0, -4),
        `ssh-dss ${'AAAA'.repeat(20)}`,
      ])
        expect([text, await pin(text)]).toEqual([text, '400 bad_host_key'])
      const { host } = await admin.call(pinHost, { params, body: { host_key: `web-1.example ${line} root@web-1\n` } })
      expect(host).toMatchObject({
        pinned: { algorithm: 'ssh-ed25519', fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/), by: 'admin' },
        state: null,
      })
      // Of several, as the script prints them, the best kind.
      const rsa = `ssh-rsa ${rsaKey()}`
      const several = await admin.call(pinHost, { params, body: { host_key: `${rsa}\n${line}\n` } })
      expect(several.host.pinned!.fingerprint).toBe(host.pinned!.fingerprint)
      const other = await admin.call(pinHost, { params, body: { host_key: rsa } })
      expect(other.host.pinned!.algorithm).toBe('ssh-rsa')
      await admin.call(pinHost, { params, body: { host_key: line } })
      expect(await refusal(admin.call(pinHost, { params, body: {} }))).toBe('422 invalid_request')
      expect(await refusal(admin.call(pinHost, { params, body: { fingerprint: 'SHA256:x', host_key: line } }))).toBe(
        '422 invalid_request',
      )
      // Nobody has seen it anywhere.
      expect(await refusal(admin.call(pinHost, { params, body: { fingerprint: `SHA256:${'A'.repeat(43)}` } }))).toBe(
        '409 host_key_unknown',
      )
      const moved = await admin.call(updateHost, { params, body: { address: 'elsewhere.example', port: 2222 } })
      expect(moved.host.pinned).toEqual(host.pinned)
      expect((await audit('host.pinned'))[0]).toMatchObject({
        target: 'web-1',
        outcome: 'ok',
        details: { host_id, fingerprint: host.pinned!.fingerprint, given: 'host_key' },
      })
      await clear()
    })
  })

  test('everything that is done about one is in the audit log', async () => {
    const { host_id } = await add('db-7', { tags: ['db'] })
    const params = { host_id }
    await admin.call(updateHost, { params, body: { tags: ['db', 'old'], disabled: true } })
    expect(await refusal(admin.call(checkHost, { params }))).toBe('409 host_disabled')
    expect(await refusal(admin.call(scanHost, { params }))).toBe('409 host_disabled')
    await admin.call(removeHost, { params })
    const entries = (await audit('db-7')).map(({ action, details }) => [action, details])
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

  describe('the setup script', () => {
    const script = async (query: object = {}) => (await admin.call(setupScript, { query })).script

    test('has the newest public key, and what is asked for', async () => {
      const { items } = await admin.call(sshKeys)
      const key = items[0]!.public_key
      expect(await script()).toMatch(/^#!\/bin\/sh\n/)
      expect(await script()).toContain(`KEY='${key}'`)
      expect(await script()).toContain("RESTRICTIONS='restrict'")
      expect(await script({ from: '192.0.2.7, 2001:db8::/32' })).toContain(
        `RESTRICTIONS='restrict,from="192.0.2.7,2001:db8::/32"'`,
      )
      for (const from of ['here', '"', '192.0.2.7"', "'$(id)'", '*'])
        expect(await refusal(admin.call(setupScript, { query: { from } }))).toBe('422 invalid_request')
    })

    test('makes the account of a machine, unless that is one that it cannot make', async () => {
      const { host_id } = await add('web-1', { account: 'watcher', port: 2222 })
      const params = { host_id }
      expect(await script({ host_id })).toContain('ACCOUNT=watcher\nPORT=2222\n')
      for (const account of ['root', 'reeve-op', 'Anna', 'a.b']) {
        await admin.call(updateHost, { params, body: { account } })
        expect(await script({ host_id })).toContain('ACCOUNT=reeve\n')
      }
      expect(await refusal(script({ host_id: 'local' }))).toBe('409 host_is_local')
      expect(await refusal(script({ host_id: 'hst_nobody' }))).toBe('404 not_found')
      expect(await refusal(ann.call(setupScript))).toBe('403 forbidden')
      await clear()
    })
  })

  describe('the key that Reeve signs in with', () => {
    test('is made once, shown in public, and sealed where it is stored', async () => {
      const seen = await Promise.all([1, 2, 3].map(() => admin.call(sshKeys)))
      const [{ items }] = seen as [(typeof seen)[number]]
      expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
      expect(items).toEqual([
        {
          key_id: expect.stringMatching(/^key_/),
          public_key: expect.stringMatching(/^ssh-ed25519 AAAA\S+ reeve@\S+$/),
          fingerprint: expect.stringMatching(/^SHA256:/),
          created_at: expect.any(String),
          newest: true,
        },
      ])
      const rows = await app.app.db.read.selectFrom('ssh_key').selectAll().execute()
      expect(rows).toHaveLength(1)
      expect(rows[0]!.sealed).toMatch(/^v1\./)
      expect(JSON.stringify([rows, seen, await audit('ssh_key')])).not.toMatch(/PRIVATE KEY|b3BlbnNzaC1rZXktdjE/)
    })

    test('is changed in two steps: both while it changes, then the new one alone', async () => {
      const old = (await admin.call(sshKeys)).items[0]!
      const change = (step: 'begin' | 'end') => admin.call(changeSshKey, { body: { change: step } })
      expect(await refusal(change('end'))).toBe('409 ssh_key_not_changing')
      const both = (await change('begin')).items
      expect(both.map(({ newest }) => newest)).toEqual([true, false])
      expect(both[1]!.key_id).toBe(old.key_id)
      expect(await refusal(change('begin'))).toBe('409 ssh_key_changing')
      const after = (await change('end')).items
      expect(after).toEqual([both[0]])
      const retired = await app.app.db.read
        .selectFrom('ssh_key')
        .selectAll()
        .where('key_id', '=', old.key_id)
        .executeTakeFirstOrThrow()
      expect(retired).toMatchObject({ sealed: null, retired_at: expect.any(Number) })
      expect((await audit('ssh_key')).map(({ action }) => action)).toEqual([
        'ssh_key.changed',
        'ssh_key.changing',
        'ssh_key.created',
      ])
    })
  })
})
