import { describe, expect, test } from 'vitest'
import { type AuditRecord, openAudit } from '../server/accounts/audit/audit.ts'
import { openTestAccounts, setUp } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('the audit log on $name', (database) => {
  async function open() {
    const stage = await openTestAccounts(database)
    const { caller: root } = await setUp(stage.accounts)
    const record = (entry: Partial<AuditRecord>) =>
      stage.db.transaction((trx) =>
        stage.accounts.audit.record(trx, { actor: root, action: 'test.done', target: 'x', outcome: 'ok', ...entry }),
      )
    const list = (query: object = {}) => stage.call('audit', { caller: root, query: { limit: 100, ...query } })
    return { ...stage, root, record, list }
  }

  test('is searched by words in any case and script, in all that an entry says', async () => {
    const { record, list } = await open()
    await record({ action: 'module.enabled', target: 'Straße' })
    await record({ action: 'user.updated', target: 'usr_1', details: { username: 'Änne', note: 'Мёд 100%' } })
    await record({ action: 'login.failed', target: '日本語', outcome: 'refused' })
    const targets = async (q: string) => (await list({ q })).items.map(({ target }) => target)
    expect(await targets('STRASSE')).toEqual([])
    expect(await targets('straße root')).toEqual(['Straße'])
    expect(await targets('anne')).toEqual(['usr_1'])
    expect(await targets('мед')).toEqual(['usr_1'])
    expect(await targets('100%')).toEqual(['usr_1'])
    expect(await targets('本')).toEqual(['日本語'])
    expect(await targets('updated anne')).toEqual(['usr_1'])
    expect(await targets("'; drop table audit --")).toEqual([])
    expect(await targets('mod_le')).toEqual([])
  })

  test('is narrowed by action, person, target, outcome and time, all at once', async () => {
    const { time, root, record, list } = await open()
    const start = time.now
    for (let i = 0; i < 6; i++) {
      time.now = start + (i + 1) * 1000
      await record({ action: i % 2 ? 'a.odd' : 'a.even', target: `t${i % 3}`, outcome: i < 3 ? 'ok' : 'failed' })
    }
    const found = async (query: object) => (await list(query)).items.map(({ at }) => (Date.parse(at) - start) / 1000)
    expect(await found({ action: 'a.odd' })).toEqual([6, 4, 2])
    expect(await found({ target: 't0' })).toEqual([4, 1])
    expect(await found({ outcome: 'failed' })).toEqual([6, 5, 4])
    expect(await found({ actor_id: 'usr_none' })).toEqual([])
    expect(await found({ actor_id: root.user_id, outcome: 'ok', action: 'a.even' })).toEqual([3, 1])
    const at = (second: number) => new Date(start + second * 1000).toISOString()
    expect(await found({ from: at(2), to: at(4) })).toEqual([4, 3, 2])
    expect(await found({ from: at(2), to: at(4), q: 'odd' })).toEqual([4, 2])
  })

  test('a search looks at so many entries, says how far, and goes on there', async () => {
    const { db, time, record, list } = await open()
    await record({ target: 'the needle' })
    await openAudit(db, Date.now).settle()
    const { hash } = await db.read
      .selectFrom('audit')
      .select('hash')
      .orderBy('audit_id', 'desc')
      .executeTakeFirstOrThrow()
    // 12,000 entries of a busy year; the chain is of no account here.
    for (let i = 0; i < 12; i++) {
      const rows = Array.from({ length: 1000 }, (_, n) => ({
        at: time.now + i * 1000 + n,
        actor_id: null,
        actor: '',
        action: 'filler',
        target: `hay ${i * 1000 + n}`,
        outcome: 'ok' as const,
        details: '{}',
        previous_hash: hash,
        hash: `${i}.${n}`,
      }))
      await db.write.insertInto('audit').values(rows).execute()
    }
    const first = await list({ q: 'needle' })
    expect(first.items).toEqual([])
    expect(first.next_cursor).not.toBeNull()
    expect(Date.parse(first.searched_to!)).toBe(time.now + 7000)
    let cursor: string | null = first.next_cursor
    const found: string[] = []
    let requests = 1
    while (cursor !== null) {
      const page = await list({ q: 'needle', cursor })
      found.push(...page.items.map(({ target }) => target))
      cursor = page.next_cursor
      requests++
    }
    expect(found).toEqual(['the needle'])
    expect(requests).toBe(3)
    const all = await list({ q: 'hay', limit: 200 })
    expect([all.items.length, all.items.at(-1)?.target]).toEqual([200, 'hay 11800'])
    const next = await list({ q: 'hay', limit: 1, cursor: all.next_cursor })
    expect(next.items[0]!.target).toBe('hay 11799')
  })

  test('is exported as lines, oldest first, that prove each other', async () => {
    const { record, call, root } = await open()
    for (let i = 0; i < 1200; i++) await record({ target: `line ${i}`, details: { text: '\n"quotes" ü' } })
    const read = async (query: object) => {
      const answer = await call('exportAudit', { caller: root, query, signal: new AbortController().signal })
      const pieces: Uint8Array[] = []
      for await (const piece of answer.stream) pieces.push(piece)
      expect(answer).toMatchObject({ name: 'audit.ndjson', size: null })
      return Buffer.concat(pieces)
        .toString('utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { target: string; hash: string; previous_hash: string })
    }
    const all = await read({})
    // The export itself is the last one.
    expect(all).toHaveLength(1202)
    all.slice(1).forEach((entry, at) => expect(entry.previous_hash).toBe(all[at]!.hash))
    const some = await read({ q: 'LINE 119', action: 'test.done' })
    expect(some).toEqual(all.filter(({ target }) => /^line .*119/.test(target)))
    expect(some).toHaveLength(12)
    expect(await read({ action: 'nothing' })).toEqual([])
  })
})
