import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text as readText } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { chainStart } from '../server/accounts/audit/audit-retention.ts'
import { openAudit } from '../server/accounts/audit/audit.ts'
import type { Database } from '../server/db/database.ts'
import { hashOf } from '../server/kernel/text/canonical.ts'
import { openVault } from '../server/kernel/vault.ts'
import { collectHeads, removedTooEarly } from '../server/receipts/check-heads.ts'
import { ATTEMPTS } from '../server/receipts/deliver.ts'
import { failingPlace, lastHead } from '../server/receipts/heads.ts'
import { readHeadPlaces } from '../server/receipts/places.ts'
import { openReceipts } from '../server/receipts/receipts.ts'
import { runCommand } from './stage/command-line.ts'
import { startInstallation } from './stage/databases/backup-stage.ts'
import { openTestAccounts } from './stage/open-accounts.ts'
import { databases, type TestDatabase } from './stage/servers/postgres.ts'

const DAY = 86_400_000
const NOWHERE = { file: '', url: '', token: '', syslog: '' }
const going = new AbortController().signal

/** A log with a clock that stands, and what signs its head. */
async function openLog(database: TestDatabase, settings: Partial<typeof NOWHERE> = {}, keepDays: number | null = null) {
  const { db, time } = await openTestAccounts(database)
  const clock = () => time.now
  const log = openAudit(db, clock, keepDays)
  const failures: string[] = []
  const receipts = openReceipts({
    db,
    vault: openVault(Buffer.alloc(32, 7)),
    audit: log,
    places: readHeadPlaces({ ...NOWHERE, ...settings }),
    removedTo: async () => (await chainStart(db.read))?.audit_id ?? 0,
    address: () => 'https://mill.example',
    reeve: '0.1.0',
    onFailed: (place, problem) => void failures.push(`${place}: ${problem}`),
    clock,
  })
  const record = (count: number) =>
    db.transaction(async (trx) => {
      for (let i = 0; i < count; i++)
        await log.record(trx, { actor: null, action: 'test.done', target: `${i}`, outcome: 'ok' })
    })
  const envelopes = async () =>
    (await db.read.selectFrom('audit_head').select('envelope').orderBy('day').execute()).map(({ envelope }) => envelope)
  const trust = async () => {
    const { publicKey } = await import('../server/receipts/signing-key.ts')
    return { keys: (await receipts.keys.published()).map(({ public_key }) => publicKey(public_key)), fingerprints: [] }
  }
  const collect = async (lines: readonly string[]) =>
    collectHeads(
      (async function* () {
        yield* lines
      })(),
      await trust(),
    )
  return { db, time, log, receipts, record, failures, envelopes, collect, sweep: () => receipts.sweep(going) }
}

async function folderFor(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-heads-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Writes the log anew from an entry on, as somebody with the database would: every hash fits. */
async function rewrite(db: Database, from: number): Promise<void> {
  const rows = await db.read.selectFrom('audit').selectAll().where('audit_id', '>=', from).orderBy('audit_id').execute()
  let previous = rows[0]!.previous_hash
  for (const { audit_id, hash: _hash, ...row } of rows) {
    const forged = { ...row, target: `${row.target}!`, previous_hash: previous }
    previous = hashOf(forged)
    await db.write.updateTable('audit').set({ ...forged, hash: previous }).where('audit_id', '=', audit_id).execute()
  }
}

describe.each(databases)('the head of the audit log on $name', (database) => {
  test('is signed once a day, however many try, and never of an empty log', async () => {
    const { receipts, time, record, db, sweep } = await openLog(database)
    expect(await sweep()).toBe(false)
    await record(3)
    const tries = await Promise.all(Array.from({ length: 6 }, sweep))
    expect(tries.filter(Boolean)).toHaveLength(1)
    expect(await sweep()).toBe(false)
    time.now += DAY
    expect(await sweep()).toBe(true)
    const rows = await db.read.selectFrom('audit_head').select(['day', 'key_id']).orderBy('day').execute()
    expect(rows.map(({ day }) => day)).toEqual(
      [time.now - DAY, time.now].map((at) => new Date(at).toISOString().slice(0, 10)),
    )
    expect(new Set(rows.map(({ key_id }) => key_id)).size).toBe(1)
    await receipts.keys.rotate(null)
    time.now += DAY
    await sweep()
    expect((await lastHead(db))!.key_id).not.toBe(rows[0]!.key_id)
  })

  test('shows that the end was cut off, or that the log was written anew', async () => {
    const { db, log, time, record, sweep, envelopes, collect } = await openLog(database)
    await record(5)
    await sweep()
    time.now += DAY
    await record(5)
    await sweep()
    await record(2)
    const { heads, refused } = await collect(['<13>Jan 1 other: nonsense', ...(await envelopes()).map((one) => `<109>1 - - - ${one}`)])
    expect(refused).toEqual([])
    const [first, second] = heads
    expect(await log.verify(heads)).toMatchObject({ ok: true, first_broken_id: null, proven_to: second!.audit_id })
    expect(await log.verify()).toMatchObject({ ok: true, proven_to: second!.audit_id })

    // What nobody signed yet can be cut off unseen.
    await db.write.deleteFrom('audit').where('audit_id', '>', second!.audit_id).execute()
    expect(await log.verify(heads)).toMatchObject({ ok: true })
    await db.write.deleteFrom('audit').where('audit_id', '>', second!.audit_id - 2).execute()
    const cut = { ok: false, first_broken_id: null, missing_from: second!.audit_id - 1, proven_to: first!.audit_id }
    expect(await log.verify(heads)).toMatchObject(cut)
    expect(await log.verify()).toMatchObject(cut)
    // Also with the heads that are in the database, and with new entries in the place of the old ones.
    await db.write.deleteFrom('audit_head').where('day', '=', second!.day).execute()
    expect(await log.verify()).toMatchObject({ ok: true })
    await record(4)
    expect(await log.verify(heads)).toMatchObject({ ok: false })

    await rewrite(db, first!.audit_id - 1)
    await db.write.deleteFrom('audit_head').execute()
    expect(await log.verify()).toMatchObject({ ok: true })
    expect(await log.verify(heads)).toMatchObject({ ok: false, first_broken_id: first!.audit_id })
  })

  test('fits a log whose old entries were removed, and shows those removed too early', async () => {
    const { db, log, time, record, sweep, envelopes, collect } = await openLog(database, {}, 10)
    await record(4)
    await sweep()
    for (let day = 0; day < 3; day++) {
      time.now += 9 * DAY
      await record(2)
      await log.sweep()
      await sweep()
    }
    const { heads } = await collect(await envelopes())
    const start = await chainStart(db.read)
    expect(start!.audit_id).toBeGreaterThan(heads[0]!.audit_id)
    expect(await log.verify(heads)).toMatchObject({ ok: true, proven_to: heads.at(-1)!.audit_id })
    const early = (by: Partial<Parameters<typeof removedTooEarly>[1]>) =>
      removedTooEarly(heads, { start, keepDays: 10, now: time.now, ...by }).map(({ audit_id }) => audit_id)
    expect(early({})).toEqual([])
    // A later head says what had gone by then, even if the log is now kept for ever.
    expect(early({ keepDays: null })).toEqual([])
    const last = heads.at(-1)!
    expect(early({ start: { audit_id: last.audit_id, hash: last.hash } })).toEqual(
      heads.filter(({ audit_id }) => audit_id > last.removed_to).map(({ audit_id }) => audit_id),
    )
    expect(early({ start: { audit_id: heads[0]!.audit_id, hash: '0'.repeat(64) } })).toEqual([heads[0]!.audit_id])
  })

  test('counts only if a trusted key signed it', async () => {
    const { record, sweep, envelopes, collect } = await openLog(database)
    const other = await openLog(database)
    for (const one of [{ record, sweep }, other]) {
      await one.record(2)
      await one.sweep()
    }
    const [own] = await envelopes()
    const [foreign] = await other.envelopes()
    const { heads, refused } = await collect([own!, foreign!, own!.slice(0, -9), own!.replace('"payload":"ey', '"payload":"eY')])
    expect(heads).toHaveLength(1)
    expect(refused.map(({ line }) => line)).toEqual([2, 3, 4])
    expect(refused[0]!.problem).toContain('unknown key')
  })

  test('goes to a file, a webhook and a syslog service by UDP or TCP', async () => {
    const folder = await folderFor()
    const posted: { authorization: string | undefined; body: string }[] = []
    const http = createHttp((request, answer) => {
      void readText(request).then((body) => {
        posted.push({ authorization: request.headers.authorization, body })
        answer.end('ok')
      })
    }).listen(0, '127.0.0.1')
    const tcp = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
    const udp = createSocket('udp4').bind(0, '127.0.0.1')
    await Promise.all([once(http, 'listening'), once(tcp, 'listening'), once(udp, 'listening')])
    onTestFinished(() => void (http.close(), tcp.close(), udp.close()))
    const file = join(folder, 'own', 'heads.ndjson')
    const { record, sweep, envelopes, time, failures, db } = await openLog(database, {
      file,
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/heads`,
      token: 'secret-token',
      syslog: `udp://127.0.0.1:${udp.address().port}`,
    })
    await record(2)
    const datagram = once(udp, 'message') as Promise<[Buffer]>
    await sweep()
    await sweep()
    const [envelope] = await envelopes()
    expect(await readFile(file, 'utf8')).toBe(`${envelope}\n`)
    expect(posted).toEqual([{ authorization: 'Bearer secret-token', body: envelope }])
    const [message] = await datagram
    expect(message.toString()).toMatch(/^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ reeve \d+ audit-head - \{/)
    expect(message.toString().slice(message.indexOf('{'))).toBe(envelope)
    expect(message.length).toBeLessThan(2048)
    expect(failures).toEqual([])
    expect((await lastHead(db))!.sent.map(({ place, problem, sent_at }) => [place, problem, sent_at !== null])).toEqual([
      ['file', null, true],
      ['syslog', null, true],
      ['webhook', null, true],
    ])

    // A line that was torn by a crash stays one of its own.
    await writeFile(file, `${envelope}\n{"payloadType":"app`)
    const second = await openLog(database, { file, syslog: `tcp://127.0.0.1:${(tcp.address() as AddressInfo).port}` })
    second.time.now = time.now + DAY
    await second.record(1)
    const connection = once(tcp, 'connection') as Promise<[import('node:net').Socket]>
    await second.sweep()
    const [next] = await second.envelopes()
    expect((await readFile(file, 'utf8')).split('\n')).toEqual([envelope, '{"payloadType":"app', next, ''])
    const [socket] = await connection
    const frame = (await buffer(socket)).toString()
    socket.destroy()
    const [length, ...rest] = frame.split(' ')
    expect(Number(length)).toBe(Buffer.byteLength(rest.join(' ')))
    expect(frame.endsWith(next!)).toBe(true)
  })

  test('that does not arrive is tried a few times, and said on the dashboard until one does', async () => {
    let status = 500
    let asked = 0
    const http = createHttp((_request, answer) => {
      asked++
      answer.writeHead(status, { location: 'http://127.0.0.1:9/' }).end()
    }).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const { record, sweep, time, failures, db } = await openLog(database, {
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    })
    // It fails within one day of the clock, whatever the time of the real one.
    time.now = Date.UTC(2026, 0, 1)
    await record(1)
    // Two processes at the same time: one of them tries.
    await Promise.all([sweep(), sweep()])
    expect(asked).toBe(1)
    expect(await failingPlace(db)).toBe('webhook')
    for (let i = 0; i < 20; i++) {
      time.now += 60 * 60_000
      await sweep()
    }
    expect(asked).toBe(ATTEMPTS)
    expect(new Set(failures)).toEqual(new Set(['webhook: It answered with status 500.']))
    status = 307
    time.now = Date.UTC(2026, 0, 2)
    await sweep()
    expect((await lastHead(db))!.sent[0]!.problem).toContain('redirects')
    status = 200
    time.now = Date.UTC(2026, 0, 3)
    await sweep()
    expect(await failingPlace(db)).toBeNull()
  })
})

describe.each(databases)('signed heads beside a service on $name', (database) => {
  test('are one a day for all processes, shown, and verified with a copy that was kept elsewhere', async () => {
    await using closing = new AsyncDisposableStack()
    const folder = await folderFor()
    const heads = join(folder, 'heads.ndjson')
    const { service, env: place } = await startInstallation(closing, database)
    const env = { ...place, REEVE_AUDIT_HEADS_FILE: heads }
    const admin = await service.as('admin')
    expect(await runCommand(env, ['audit', 'head'])).toMatchObject({ code: 1 })
    const tries = await Promise.all(
      Array.from({ length: 3 }, () => runCommand(env, ['audit', 'head', '--sign', '--json'])),
    )
    expect(tries.filter((one) => one.json<{ signed: boolean }>().signed)).toHaveLength(1)
    expect((await runCommand(env, ['receipt', 'keys', '--json'])).json<{ items: unknown[] }>().items).toHaveLength(1)
    const lines = (await readFile(heads, 'utf8')).trimEnd().split('\n')
    expect(lines).toHaveLength(1)

    const { head } = await admin.call(contract.receipts.auditHead)
    expect(head).toMatchObject({ sent: [{ place: 'file', problem: null }] })
    expect(await (await admin.fetch('/api/admin/audit/heads')).text()).toBe(`${lines[0]}\n`)
    const verify = (words: string[] = []) => runCommand(env, ['audit', 'verify', '--heads', heads, ...words])
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('unchanged') })
    expect(await verify(['--trust', 'ab'.repeat(32)])).toMatchObject({ code: 1 })
    expect(await admin.call(contract.accounts.verifyAudit)).toMatchObject({ ok: true, proven_to: head!.audit_id })

    const other = await startInstallation(closing, database)
    await other.service.as('admin')
    expect(
      await runCommand(other.env, ['audit', 'verify', '--heads', heads, '--trust', head!.key_id]),
    ).toMatchObject({ code: 1, stdout: expect.stringMatching(/missing|not what it was/) })
    expect(await runCommand(env, ['audit', 'verify', '--heads', join(folder, 'none')])).toMatchObject({ code: 1 })
  }, 120_000)
})

test('places that make no sense keep the service from starting', () => {
  const refused = (settings: Partial<typeof NOWHERE>) => () => readHeadPlaces({ ...NOWHERE, ...settings })
  expect(refused({ file: 'heads' })).toThrow('absolute')
  expect(refused({ token: 'x' })).toThrow('REEVE_AUDIT_HEADS_URL')
  for (const syslog of ['localhost', 'http://x', 'udp://', 'udp://u@h', 'udp://h/p', 'udp://h?x'])
    expect(refused({ syslog })).toThrow('udp://host:port')
  expect(readHeadPlaces({ ...NOWHERE, syslog: 'tcp://[::1]:601' }).syslog).toEqual({ protocol: 'tcp', host: '::1', port: 601 })
  expect(readHeadPlaces({ ...NOWHERE, syslog: 'udp://logs' }).syslog!.port).toBe(514)
})
