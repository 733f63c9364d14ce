import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openAudit } from '../server/accounts/audit/audit.ts'
import { CHAIN_START } from '../server/accounts/audit/chain.ts'
import { Database, type Trx } from '../server/db/database.ts'
import { canonicalJson, hashOf } from '../server/kernel/text/canonical.ts'
import { startTestApp } from './stage/app.ts'
import { startWriter } from './stage/databases/audit-writer.ts'
import { databases, type TestDatabase } from './stage/servers/postgres.ts'

const CHAINING = /insert into "audit" /
const SHARED = databases.filter(({ name }) => name === 'postgres')

async function open(database: TestDatabase) {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-chain-'))
  const url = await database.withTables!(folder)
  const sees: { before?: (sql: string) => void } = {}
  const db = await Database.open({
    url: url || null,
    folder,
    asItIs: true,
    observe: (statement) => sees.before?.(statement),
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(async () => {
    await db[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const log = openAudit(db, Date.now)
  const recordIn = (trx: Trx, target: string) =>
    log.record(trx, { actor: null, action: 'test.done', target, outcome: 'ok' })
  const record = (target: string) => db.transaction((trx) => recordIn(trx, target))
  /** What is chained, in the order of the chain. */
  const chained = async () =>
    (await db.read.selectFrom('audit').select('target').orderBy('audit_id').execute()).map(({ target }) => target)
  return { db, folder, url, log, record, recordIn, chained, sees }
}

/** Records an entry as the version before this one does: chained at once, under the lock. */
async function recordAsBefore(db: Database, target: string): Promise<void> {
  await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, 'audit')
    const last = await trx.selectFrom('audit').select('hash').orderBy('audit_id', 'desc').limit(1).executeTakeFirst()
    const row = {
      at: Date.now(),
      actor_id: null,
      actor: '',
      action: 'test.done',
      target,
      outcome: 'ok' as const,
      details: canonicalJson({}),
      previous_hash: last?.hash ?? CHAIN_START,
    }
    await trx
      .insertInto('audit')
      .values({ ...row, hash: hashOf(row) })
      .execute()
  })
}

describe.each(databases)('the chain of the audit log on $name', (database) => {
  test('has every entry once and in order, however many processes record and chain at once', async () => {
    const { folder, url, log, chained } = await open(database)
    await using one = await startWriter(url, folder, 'one')
    await using two = await startWriter(url, folder, 'two')
    expect(await Promise.all([one.write(120), two.write(120)])).toEqual(['done', 'done'])
    expect(await log.verify()).toEqual({ ok: true, entries: 240, first_broken_id: null, unchained: 0 })
    const expected = ['one', 'two'].flatMap((name) => Array.from({ length: 120 }, (_, n) => `${name} ${n}`))
    expect((await chained()).sort()).toEqual(expected.sort())
  })

  test('goes on without a gap, whatever statement of the chaining fails', async () => {
    const { log, record, chained, sees } = await open(database)
    const recorded: string[] = []
    for (let n = 1, struck = true; struck; n++) {
      await record(`before ${n}`)
      recorded.push(`before ${n}`)
      let left = n
      struck = false
      sees.before = () => {
        if (--left !== 0) return
        struck = true
        throw new Error('on purpose')
      }
      await log.chain().catch(() => {})
      delete sees.before
      expect(await log.verify()).toMatchObject({ ok: true, entries: n, unchained: 0 })
    }
    expect(recorded.length).toBeGreaterThan(6)
    expect(await chained()).toEqual(recorded)
  })

  test('goes on without a gap after a process was killed while it chained', async () => {
    const { folder, url, log, chained } = await open(database)
    await using killed = await startWriter(url, folder, 'killed', { at: /delete from "audit_/, signal: 'SIGKILL' })
    expect(await killed.write(1)).toBe('struck')
    expect(await log.settle()).toBe(true)
    expect(await log.verify()).toMatchObject({ ok: true, entries: 1, unchained: 0 })
    expect(await chained()).toEqual(['killed 0'])
  })

  test('shows what is not in it yet, newest first, page by page, and misses nothing that moves meanwhile', async () => {
    const { log, record } = await open(database)
    for (let n = 1; n <= 3; n++) await record(`${n}`)
    await log.chain()
    for (let n = 4; n <= 8; n++) await record(`${n}`)
    const first = await log.list({ limit: 2 })
    expect(first.items.map(({ target, audit_id, hash }) => [target, audit_id, hash])).toEqual([
      ['8', null, null],
      ['7', null, null],
    ])
    const targets = (page: typeof first) => page.items.map(({ target }) => target)
    const second = await log.list({ limit: 4, cursor: first.next_cursor! })
    expect(targets(second)).toEqual(['6', '5', '4', '3'])
    expect(targets(await log.list({ limit: 4, cursor: second.next_cursor! }))).toEqual(['2', '1'])
    expect(targets(await log.list({ limit: 4, q: '7' }))).toEqual(['7'])
    expect((await log.about('6', 1))[0]).toMatchObject({ target: '6', hash: null })
    await log.chain()
    // The cursor stood before entries that are in the chain by now.
    expect(new Set(targets(await log.list({ limit: 10, cursor: first.next_cursor! })))).toEqual(
      new Set(['8', '7', '6', '5', '4', '3', '2', '1']),
    )
  })

  test('is verified although the version before this one records beside it', async () => {
    const { db, log, record, chained } = await open(database)
    const step = async (n: number) => {
      await Promise.all([record(`new ${n}`), recordAsBefore(db, `old ${n}`), log.chain()])
    }
    for (let n = 0; n < 10; n++) await step(n)
    expect(await log.verify()).toMatchObject({ ok: true, entries: 20, unchained: 0 })
    expect((await chained()).filter((target) => target.startsWith('old'))).toEqual(
      Array.from({ length: 10 }, (_, n) => `old ${n}`),
    )
  })

  test('shows changes to what is in it, and none to what is not in it yet', async () => {
    const { db, log, record } = await open(database)
    for (let n = 1; n <= 4; n++) await record(`${n}`)
    // Whoever writes to the database can change or remove what is not chained.
    await db.write.updateTable('audit_unchained').set({ target: 'changed' }).where('target', '=', '2').execute()
    await db.write.deleteFrom('audit_unchained').where('target', '=', '3').execute()
    expect(await log.verify()).toMatchObject({ ok: true, entries: 3 })
    await db.write.updateTable('audit').set({ target: 'again' }).where('target', '=', 'changed').execute()
    expect(await log.verify()).toMatchObject({ ok: false, entries: 2 })
    await db.write.deleteFrom('audit').where('target', '=', 'again').execute()
    expect(await log.verify()).toMatchObject({ ok: false, entries: 2 })
  })

  test('says that an entry waits, and complains once it waits for too long', async () => {
    const { db, log, record, sees } = await open(database)
    await record('1')
    sees.before = (statement) => {
      if (CHAINING.test(statement)) throw new Error('on purpose')
    }
    await expect(log.chain()).rejects.toThrow('on purpose')
    expect(await log.verify()).toEqual({ ok: true, entries: 0, first_broken_id: null, unchained: 1 })
    await db.write
      .updateTable('audit_unchained')
      .set((row) => ({ recorded_at: row('recorded_at', '-', 301_000) }))
      .execute()
    const late = await log.verify()
    expect(late).toMatchObject({ ok: false, first_broken_id: null, unchained: 1 })
    expect(Date.parse(late.unchained_since!)).toBeLessThan(Date.now() - 300_000)
    delete sees.before
    expect(await log.verify()).toMatchObject({ ok: true, entries: 1, unchained: 0 })
  })
})

describe.each(SHARED)('the chain of the audit log of several processes', (database) => {
  test('gets an entry that is committed later than one with a higher id', async () => {
    const { db, log, record, recordIn, chained } = await open(database)
    const slow = Promise.withResolvers<void>()
    const stored = Promise.withResolvers<void>()
    const first = db.transaction(async (trx) => {
      await recordIn(trx, 'first')
      stored.resolve()
      await slow.promise
    })
    await stored.promise
    await record('second')
    expect(await log.settle()).toBe(true)
    expect(await chained()).toEqual(['second'])
    slow.resolve()
    await first
    expect(await log.verify()).toMatchObject({ ok: true, entries: 2, unchained: 0 })
    expect(await chained()).toEqual(['second', 'first'])
  })

  test('is not waited for, whatever process is frozen in the middle', async () => {
    await using service = await startTestApp({ database })
    const { app, databaseUrl, dataFolder } = service
    const admin = await service.as('admin')
    await using recording = await startWriter(databaseUrl, dataFolder, 'recording', {
      at: /^commit$/,
      signal: 'SIGSTOP',
    })
    await using chaining = await startWriter(databaseUrl, dataFolder, 'chaining', { at: CHAINING, signal: 'SIGSTOP' })
    expect(await recording.write(1)).toBe('struck')
    expect(await chaining.write(1)).toBe('struck')
    const { rows } = await sql<{
      free: boolean
    }>`select pg_try_advisory_xact_lock(hashtextextended('audit', 0)) as free`.execute(app.db.read)
    expect(rows).toEqual([{ free: false }])

    await service.signIn('admin')
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'login' } })
    expect(items[0]).toMatchObject({ action: 'login', audit_id: null })

    await chaining[Symbol.asyncDispose]()
    await recording[Symbol.asyncDispose]()
    const log = openAudit(app.db, Date.now)
    expect(await log.settle()).toBe(true)
    expect(await log.verify()).toMatchObject({ ok: true, unchained: 0 })
    const kept = await log.list({ limit: 100, action: 'test.done' })
    // What was not committed has not happened.
    expect(kept.items.map(({ target }) => target)).toEqual(['chaining 0'])
  })
})
