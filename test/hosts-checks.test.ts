import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { contract } from '../contract/index.ts'
import { openFeed } from './stage/activity-feed.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { ProblemAnswer, TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { sshdMissing, startSshServer, type SshServer } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const { addHost, changeSshKey, checkHost, listHosts, pinHost, readHost, scanHost, sshKeys, updateHost } = contract.hosts

const skipped = sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`
afterEach(() => void vi.useRealTimers())

describe.skipIf(sshdMissing !== null).each(databases)(`machines with sshd, on $name${skipped}`, (database) => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let admin: TestClient
  /** Two machines; both let in whoever is in `authorized`. */
  let server: SshServer
  let other: SshServer
  let authorized: string
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reeve-hosts-'))
    opened.defer(() => rmSync(folder, { recursive: true, force: true }))
    authorized = join(folder, 'authorized')
    const config = `AuthorizedKeysFile ${authorized}`
    server = opened.use(await startSshServer({ config }))
    other = opened.use(await startSshServer({ config }))
    app = opened.use(await startTestApp({ database }))
    admin = await app.as('admin')
  })
  afterAll(() => opened.disposeAsync())

  const letIn = async () => {
    const { items } = await admin.call(sshKeys)
    writeFileSync(authorized, items.map(({ public_key }) => `${public_key}\n`).join(''), { mode: 0o600 })
  }
  const add = async (name: string, more: object = {}) =>
    (
      await admin.call(addHost, {
        body: { name, address: '127.0.0.1', port: server.port, account: userInfo().username, ...more },
      })
    ).host
  const check = async (host_id: string) => (await admin.call(checkHost, { params: { host_id } })).host
  const pin = async (host_id: string, of: SshServer) =>
    (await admin.call(pinHost, { params: { host_id }, body: { host_key: `ssh-ed25519 ${of.hostKeys.ed25519}` } })).host
  const audit = async (q: string) => (await admin.call(contract.accounts.audit, { query: { q } })).items
  const attempts = (of: SshServer) =>
    of.log().match(/(Accepted|Failed|Postponed) publickey|Connection closed by auth/g) ?? []

  test('one is added, shows its key without a sign-in, is compared and pinned, and is well', async () => {
    await letIn()
    const { host_id } = await add('web-1')
    const params = { host_id }
    // Nothing signs in before, not even a check.
    for (const route of [scanHost, checkHost]) {
      const { host } = await admin.call(route, { params })
      expect(host).toMatchObject({
        state: 'key_unknown',
        pinned: null,
        offered: { algorithm: 'ssh-ed25519' },
        facts: null,
      })
    }
    expect(attempts(server)).toEqual([])
    const { offered } = await admin.call(readHost, { params })
    const { host } = await admin.call(pinHost, { params, body: { fingerprint: offered!.fingerprint } })
    expect(host).toMatchObject({ state: null, pinned: offered, offered: null })
    expect(await check(host_id)).toMatchObject({
      state: 'ok',
      problem: null,
      latency_ms: expect.any(Number),
      checked_at: expect.any(String),
      facts: {
        kernel: expect.stringMatching(/^Linux /),
        account: userInfo().username,
        clock_offset_ms: expect.any(Number),
      },
    })
    expect(
      (await audit('web-1')).map(({ action, details }) => [action, details['given'] ?? details['state'] ?? null]),
    ).toEqual([
      ['host.checked', 'ok'],
      ['host.pinned', 'fingerprint'],
      ['host.checked', 'key_unknown'],
      ['host.scanned', null],
      ['host.added', null],
    ])
    // The same key again is no news.
    expect((await admin.call(scanHost, { params })).host).toMatchObject({ state: 'ok', offered: null })
  })

  test('that it was started anew is told once, and not before anybody knows of another boot', async () => {
    await letIn()
    const { host_id } = await add('restarted')
    await pin(host_id, server)
    const restarts = async () => (await audit('restarted')).filter(({ action }) => action === 'host.restarted')
    await check(host_id)
    await check(host_id)
    expect(await restarts()).toEqual([])
    // As if it had been looked at before it was.
    const { facts } = await app.app.db.read
      .selectFrom('host_state')
      .select('facts')
      .where('host_id', '=', host_id)
      .executeTakeFirstOrThrow()
    const before = JSON.stringify({ ...JSON.parse(facts!), boot_id: '00000000-0000-4000-8000-000000000000' })
    await app.app.db.transaction((trx) =>
      trx.updateTable('host_state').set({ facts: before }).where('host_id', '=', host_id).execute(),
    )
    await Promise.all([check(host_id), check(host_id)])
    expect(await restarts()).toMatchObject([{ actor_id: null, outcome: 'ok', details: { host_id } }])
  })

  test('another machine in its place is noticed before anybody signs in, and is told once', async () => {
    const { host_id } = await add('swapped')
    const params = { host_id }
    await pin(host_id, server)
    expect((await check(host_id)).state).toBe('ok')
    const moved = await admin.call(updateHost, { params, body: { port: other.port } })
    expect(moved.host).toMatchObject({ state: null, facts: null })
    const before = attempts(other).length
    const found = await check(host_id)
    expect(found).toMatchObject({ state: 'key_changed', offered: { algorithm: 'ssh-ed25519' }, latency_ms: null })
    expect(found.offered!.fingerprint).not.toBe(found.pinned!.fingerprint)
    await check(host_id)
    expect(attempts(other)).toHaveLength(before)
    const entries = (await audit('swapped')).filter(({ action }) => action === 'host.key_changed')
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      actor_id: null,
      outcome: 'refused',
      details: { pinned: found.pinned!.fingerprint, offered: found.offered!.fingerprint },
    })
    // Deliberately.
    await admin.call(pinHost, { params, body: { fingerprint: found.offered!.fingerprint } })
    expect((await check(host_id)).state).toBe('ok')
  })

  test('who does not let Reeve in, and who does not answer, is told apart', async () => {
    const refusing = await add('refusing', { account: 'nobody-there' })
    await pin(refusing.host_id, server)
    expect(await check(refusing.host_id)).toMatchObject({ state: 'sign_in_refused', problem: expect.any(String) })
    const away = await add('away', { port: 1 })
    expect((await admin.call(scanHost, { params: away })).host).toMatchObject({
      state: 'key_unknown',
      problem: expect.any(String),
      offered: null,
    })
    await pin(away.host_id, server)
    expect(await check(away.host_id)).toMatchObject({ state: 'unreachable', problem: expect.any(String) })
    // What it was stays known while it is away.
    const { host_id } = await add('leaving')
    await pin(host_id, server)
    const { facts } = await check(host_id)
    await admin.call(updateHost, { params: { host_id }, body: { tags: ['x'] } })
    expect((await admin.call(readHost, { params: { host_id } })).facts).toEqual(facts)
  })

  test('one is reached through another, whose own troubles are its', async () => {
    const way = await add('way')
    const { host_id } = await add('behind', { port: other.port, jump_host_id: way.host_id })
    await pin(host_id, other)
    expect(await check(host_id)).toMatchObject({ state: 'unreachable', problem: expect.stringContaining('way') })
    await pin(way.host_id, server)
    expect(await check(host_id)).toMatchObject({ state: 'ok' })
    await admin.call(updateHost, { params: { host_id: way.host_id }, body: { disabled: true } })
    const refused = await admin.call(checkHost, { params: { host_id } }).catch((error: ProblemAnswer) => error)
    expect(refused).toMatchObject({ code: 'host_disabled', problem: { detail: expect.stringContaining('way') } })
  })

  test('while Reeve’s key changes both open the door, and afterwards the new one alone', async () => {
    await letIn()
    const { host_id } = await add('keys')
    await pin(host_id, server)
    await admin.call(changeSshKey, { body: { change: 'begin' } })
    expect((await check(host_id)).state).toBe('ok')
    await admin.call(changeSshKey, { body: { change: 'end' } })
    expect((await check(host_id)).state).toBe('sign_in_refused')
    await letIn()
    expect((await check(host_id)).state).toBe('ok')
  })

  test('a list shows states that are old, and has them looked at again', async () => {
    await letIn()
    const { host_id } = await add('watched')
    await pin(host_id, server)
    await check(host_id)
    await using feed = await openFeed(admin)
    await makeOld(app, host_id)
    const { items } = await admin.call(listHosts)
    expect(items.find((host) => host.host_id === host_id)?.latency_ms).toBeNull()
    await feed.find(({ type }) => type === 'host.changed')
    expect((await admin.call(readHost, { params: { host_id } })).latency_ms).not.toBeNull()
  })

  test('they are looked at every five minutes while a page is open, and left alone otherwise', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const statements: string[] = []
    await using service = await startTestApp({ database, observe: (sql) => void statements.push(sql) })
    const boss = await service.as('admin')
    const body = { name: 'web-1', address: '127.0.0.1', port: 1, account: 'a' }
    const { host_id } = (await boss.call(addHost, { body })).host
    const params = { host_id }
    await boss.call(pinHost, { params, body: { host_key: `ssh-ed25519 ${server.hostKeys.ed25519}` } })
    expect((await boss.call(checkHost, { params })).host.state).toBe('unreachable')
    await makeOld(service, host_id)
    const looks = () => statements.filter((sql) => sql.includes('"host_state"')).length
    const before = looks()
    vi.advanceTimersByTime(15 * 60_000)
    await until(() => statements.some((sql) => sql.includes('insert into "sample"')), { what: 'the timers ran' })
    expect(looks()).toBe(before)
    await using feed = await openFeed(boss)
    vi.advanceTimersByTime(5 * 60_000)
    await feed.find(({ type }) => type === 'host.changed')
    expect((await boss.call(readHost, { params })).latency_ms).toBeNull()
    expect(Date.parse((await boss.call(readHost, { params })).checked_at!)).toBeGreaterThan(OLD)
  })
})

const OLD = 1

/** As if the last look had been long ago. */
async function makeOld({ app: { db } }: TestApp, host_id: string): Promise<void> {
  await db.transaction((trx) =>
    trx.updateTable('host_state').set({ checked_at: OLD, latency_ms: null }).where('host_id', '=', host_id).execute(),
  )
}
