import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findConversations } from '../server/chat/search/find-conversations.ts'
import { Folders } from '../server/chat/conversations/folders.ts'
import { Activity } from '../server/chat/history/activity.ts'
import { databases } from './stage/servers/postgres.ts'
import { openSearchStage, type SearchStage } from './stage/search-stage.ts'

/** Reads a whole table, or takes an index only to read all of it. */
const SQLITE_SCAN = /^SCAN (?!hit\b|CONSTANT ROW|\d+ CONSTANT ROW|\(subquery|search_index VIRTUAL TABLE INDEX \d+:\S)/
const POSTGRES_SCAN = /Seq Scan on (?!hit\b)/

describe.each(databases)('every list and search query on $name', (database) => {
  let stage: SearchStage
  const statements = new Set<string>()
  let observing = false
  beforeAll(async () => {
    stage = await openSearchStage(database, (statement) => {
      if (observing) statements.add(statement)
    })
    const { db, conversations } = stage
    await stage.addUser('usr_1')
    for (let i = 0; i < 5; i++) {
      const id = await stage.open('usr_1', `title ${i}`)
      await stage.say(id, ['needle 日本', ...(i === 0 ? ['filler '.repeat(1300)] : [])])
      await stage.say(id, ['further'])
    }
    observing = true
    const { items } = await conversations.list('usr_1', { q: '', limit: 2, deleted: 'false' })
    const cursor = `${Date.parse(items[1]!.updated_at)}.${items[1]!.conversation_id}`
    for (const deleted of ['true', 'false'] as const) {
      for (const folder_id of [undefined, 'fld_1']) {
        for (const pinned of [undefined, 'true'] as const) {
          for (const at of [undefined, cursor]) {
            await conversations.list('usr_1', { q: '', limit: 50, cursor: at, deleted, folder_id, pinned })
          }
        }
      }
    }
    await new Folders(db, new Activity(db)).list('usr_1', 'en')
    for (const words of [['needle'], ['title', 'needle'], ['日'], ['fu'], ['%'], ['absent']]) {
      const search = { user_id: 'usr_1', words, limit: 2, before: null, deleted: false }
      const { next } = await findConversations(db.read, db.dialect.name, search)
      if (next !== null) await findConversations(db.read, db.dialect.name, { ...search, before: next })
    }
    observing = false
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function plan(statement: string): Promise<string[]> {
    return stage.db.write.connection().execute(async (connection) => {
      if (database.name === 'sqlite') {
        const nothing = Array.from({ length: statement.split('?').length - 1 }, () => null)
        const { rows } = await connection.executeQuery<{ detail: string }>(
          CompiledQuery.raw(`explain query plan ${statement}`, nothing),
        )
        return rows.map((row) => row.detail)
      }
      // So few rows would be read as a whole, index or not; where there is no index, they still are.
      await connection.executeQuery(CompiledQuery.raw('set enable_seqscan = off'))
      const { rows } = await connection.executeQuery<Record<string, string>>(
        CompiledQuery.raw(`explain (generic_plan) ${statement}`),
      )
      await connection.executeQuery(CompiledQuery.raw('reset enable_seqscan'))
      return rows.map((row) => row['QUERY PLAN']!)
    })
  }

  test('uses an index', async () => {
    const scans: Record<string, string[]> = {}
    const selects = [...statements].filter((statement) => /^(select|with)/.test(statement))
    expect(selects.length).toBeGreaterThan(15)
    for (const statement of selects) {
      const steps = await plan(statement)
      const wrong = steps.filter((step) => (database.name === 'sqlite' ? SQLITE_SCAN : POSTGRES_SCAN).test(step))
      if (wrong.length > 0) scans[statement] = steps
    }
    expect(scans).toEqual({})
  })

  test.runIf(database.name === 'sqlite')('of a plain list reads rows in their order, and sorts none', async () => {
    const lists = [...statements].filter(
      (each) => each.includes('order by "updated_at" desc') && !each.includes('"folder_id" ='),
    )
    expect(lists.length).toBeGreaterThan(3)
    for (const statement of lists) expect((await plan(statement)).join()).not.toMatch(/TEMP B-TREE/)
  })
})
