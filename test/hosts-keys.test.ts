import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TestClient } from './stage/client.ts'
import { hostKey, type HostStage, openHostStage, refusal, rsaHostKey } from './stage/hosts/host-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const { changeSshKey, pinHost, setupScript, sshKeys, updateHost } = contract.hosts

describe.each(databases)('keys of machines, and Reeve’s own, on $name', (database) => {
  let stage: HostStage
  let admin: TestClient
  let ann: TestClient
  beforeAll(async () => {
    stage = await openHostStage(database)
    ;({ admin, ann } = stage)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('a host key is pinned from the line that the script printed, and is what signing in needs', async () => {
    const { host_id } = await stage.add('web-1')
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
    const rsa = rsaHostKey()
    const several = await admin.call(pinHost, { params, body: { host_key: `${rsa}\n${line}\n` } })
    expect(several.host.pinned!.fingerprint).toBe(host.pinned!.fingerprint)
    // Whoever gives all that it printed gives Reeve's own key as well, which is no machine's.
    const [own] = (await admin.call(sshKeys)).items
    expect(await pin(own!.public_key)).toBe('400 bad_host_key')
    const all = await admin.call(pinHost, { params, body: { host_key: `  ${own!.public_key}\n\n${line}\n` } })
    expect(all.host.pinned!.fingerprint).toBe(host.pinned!.fingerprint)
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
    expect(moved.host.pinned!.fingerprint).toBe(host.pinned!.fingerprint)
    expect((await stage.audit('host.pinned'))[0]).toMatchObject({
      target: 'web-1',
      outcome: 'ok',
      details: { host_id, fingerprint: host.pinned!.fingerprint, given: 'host_key' },
    })
    await stage.clear()
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
      const { host_id } = await stage.add('web-1', { account: 'watcher', port: 2222 })
      const params = { host_id }
      expect(await script({ host_id })).toContain('ACCOUNT=watcher\nPORT=2222\n')
      for (const account of ['root', 'reeve-op', 'Anna', 'a.b']) {
        await admin.call(updateHost, { params, body: { account } })
        expect(await script({ host_id })).toContain('ACCOUNT=reeve\n')
      }
      // A way to others lets Reeve go on from there, and no other.
      expect(await script({ host_id })).toContain("FORWARDING=''")
      await stage.add('behind', { jump_host_id: host_id })
      expect(await script({ host_id })).toContain("FORWARDING=',port-forwarding'")
      expect(await refusal(script({ host_id: 'local' }))).toBe('409 host_is_local')
      expect(await refusal(script({ host_id: 'hst_nobody' }))).toBe('404 not_found')
      expect(await refusal(ann.call(setupScript))).toBe('403 forbidden')
      await stage.clear()
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
      const rows = await stage.app.app.db.read.selectFrom('ssh_key').selectAll().execute()
      expect(rows).toHaveLength(1)
      expect(rows[0]!.sealed).toMatch(/^v1\./)
      expect(JSON.stringify([rows, seen, await stage.audit('ssh_key')])).not.toMatch(/PRIVATE KEY|b3BlbnNzaC1rZXktdjE/)
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
      const retired = await stage.app.app.db.read
        .selectFrom('ssh_key')
        .selectAll()
        .where('key_id', '=', old.key_id)
        .executeTakeFirstOrThrow()
      expect(retired).toMatchObject({ sealed: null, retired_at: expect.any(Number) })
      expect((await stage.audit('ssh_key')).map(({ action }) => action)).toEqual([
        'ssh_key.changed',
        'ssh_key.changing',
        'ssh_key.created',
      ])
    })
  })
})
