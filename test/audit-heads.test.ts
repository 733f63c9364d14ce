import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { chainStart } from '../server/accounts/audit/audit-retention.ts'
import type { Database } from '../server/db/database.ts'
import { hashOf } from '../server/kernel/text/canonical.ts'
import { removedTooEarly } from '../server/receipts/check-heads.ts'
import { lastHead } from '../server/receipts/heads.ts'
import { runCommand } from './stage/command-line.ts'
import { startInstallation } from './stage/databases/backup-stage.ts'
import { DAY, folderFor, openLog } from './stage/heads-stage.ts'
import { databases } from './stage/servers/postgres.ts'

/** Writes the log anew from an entry on, as somebody with the database would: every hash fits. */
async function rewrite(db: Database, from: number): Promise<void> {
  const rows = await db.read.selectFrom('audit').selectAll().where('audit_id', '>=', from).orderBy('audit_id').execute()
  let previous = rows[0]!.previous_hash
  for (const { audit_id, hash: _hash, ...row } of rows) {
    const forged = { ...row, target: `${row.target}!`, previous_hash: previous }
    previous = hashOf(forged)
    await db.write
      .updateTable('audit')
      .set({ ...forged, hash: previous })
      .where('audit_id', '=', audit_id)
      .execute()
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
    const { heads, refused } = await collect([
      '<13>Jan 1 other: nonsense',
      ...(await envelopes()).map((one) => `<109>1 - - - ${one}`),
    ])
    expect(refused).toEqual([])
    const [first, second] = heads
    expect(await log.verify(heads)).toMatchObject({ ok: true, first_broken_id: null, proven_to: second!.audit_id })
    expect(await log.verify()).toMatchObject({ ok: true, proven_to: second!.audit_id })

    // What nobody signed yet can be cut off unseen.
    await db.write.deleteFrom('audit').where('audit_id', '>', second!.audit_id).execute()
    expect(await log.verify(heads)).toMatchObject({ ok: true })
    await db.write
      .deleteFrom('audit')
      .where('audit_id', '>', second!.audit_id - 2)
      .execute()
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
    const { heads, refused } = await collect([
      own!,
      foreign!,
      own!.slice(0, -9),
      own!.replace('"payload":"ey', '"payload":"eY'),
    ])
    expect(heads).toHaveLength(1)
    expect(refused.map(({ line }) => line)).toEqual([2, 3, 4])
    expect(refused[0]!.problem).toContain('unknown key')
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
    expect(await runCommand(other.env, ['audit', 'verify', '--heads', heads, '--trust', head!.key_id])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/missing|not what it was/),
    })
    expect(await runCommand(env, ['audit', 'verify', '--heads', join(folder, 'none')])).toMatchObject({ code: 1 })
  }, 120_000)
})
