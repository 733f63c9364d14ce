/**
 * Search and list over 100,000 and 1,000,000 messages in five languages (or as many as the arguments say), on SQLite and
 * on PostgreSQL, beside a plain LIKE over the same texts, and with somebody writing meanwhile. Filling takes a while: a
 * million takes a quarter of an hour on each. `REEVE_BENCH_DATABASES=sqlite` leaves the other out.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { listConversations } from '../../server/chat/search/list-conversations.ts'
import { ConversationSearch } from '../../server/chat/search/search.ts'
import { Database } from '../../server/db/database.ts'
import { searchWords } from '../../server/kernel/text/search-words.ts'
import { mebibytes, percentile, report } from '../stage/measure.ts'
import { startPostgres } from '../stage/servers/postgres-server.ts'
import { hand } from './figure.ts'
import { addMessage, fillCorpus, OWNER } from './search-corpus.ts'

const LIST = { q: '', limit: 50, deleted: 'false' } as const
const ROUNDS = 20

/** Beside words that are taken from the corpus: what is not there, is everywhere, or is no word. */
const QUERIES = {
  'part of a word that is everywhere': 'sta',
  'one Chinese character': '一',
  'two Chinese characters': '一丕',
  'beginning of a short word': 'pr',
  'accents and case': 'PRZASC',
  symbol: '%',
  'not there, of common parts': 'thenstarprealis',
  'not there': 'xylophonquartz',
}

/** As a server has it that nobody has tuned, and with every commit on disk. */
const PLAIN_POSTGRES = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', shared_buffers: '128MB' }
const DATABASES = (process.env['REEVE_BENCH_DATABASES'] ?? 'sqlite,postgres').split(',')
/** Milliseconds between two messages of the one who writes. */
const WRITES_EVERY = 20

for (const size of sizes()) for (const name of DATABASES) await measure(name, size)

function sizes(): number[] {
  const given = process.argv
    .slice(2)
    .map(Number)
    .filter((each) => each > 0)
  return given.length > 0 ? given : [100_000, 1_000_000]
}

async function measure(name: string, messages: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-bench-search-'))
  try {
    await using server = name === 'postgres' ? await startPostgres(PLAIN_POSTGRES) : null
    await using db = await Database.open({ url: server?.url ?? null, folder, onError: () => undefined })
    const started = performance.now()
    const text = await fillCorpus(db, messages)
    const seconds = (performance.now() - started) / 1000
    await using search = new ConversationSearch(db)
    await search.list(OWNER, ['warm'], LIST)
    const figures: Record<string, string> = {
      texts: `${mebibytes(text)}, filled in ${seconds.toFixed(0)} s`,
      'index and what it looks through': await indexSize(db, text),
      'list of the newest 50': await timed(() => listConversations(db.read, OWNER, LIST)),
    }
    const queries = Object.entries({ ...(await fromCorpus(db)), ...QUERIES })
    const all: number[] = []
    const found: number[] = []
    const times: string[] = []
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    for (const [i, [, q]] of queries.entries()) {
      times[i] = await timed(async () => {
        found[i] = (await search.list(OWNER, searchWords(q), LIST)).found.length
      }, all)
    }
    delay.disable()
    for (const [i, [name, q]] of queries.entries()) {
      figures[`${name}: ${q}`] = `${times[i]}, ${found[i]} found; LIKE ${await timed(() => scan(db, q), [], 1)}`
    }
    figures['all of these searches'] = line(all)
    figures['longest pause of the event loop meanwhile'] = `${(delay.max / 1e6).toFixed(1)} ms`
    const alone = await writing(db, () => pause(ROUNDS * queries.length * 5))
    const disturbed: number[] = []
    const beside = await writing(db, async () => {
      for (const [, q] of queries) await timed(() => search.list(OWNER, searchWords(q), LIST), disturbed)
    })
    figures['the same while somebody writes'] = line(disturbed)
    figures['a message written, nobody searching'] = line(alone)
    figures['a message written while all this is searched'] = line(beside)
    report(`Search in ${messages.toLocaleString('en')} messages on ${name}`, figures)
    const what = `search in ${messages.toLocaleString('en')} messages on ${name}`
    const aims: Record<string, string> = { sqlite: '< 15', postgres: '< 50' }
    const aim = messages === 1_000_000 ? aims[name] : undefined
    hand(
      { figure: `${what}, p95`, value: percentile(all, 0.95), unit: 'ms', ...(aim && { aim }) },
      { figure: `${what} while writing, p95`, value: percentile(disturbed, 0.95), unit: 'ms' },
      { figure: `${what}: a write meanwhile, p95`, value: percentile(beside, 0.95), unit: 'ms' },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timed(work: () => Promise<unknown>, all: number[] = [], rounds = ROUNDS): Promise<string> {
  const times: number[] = []
  for (let i = 0; i < rounds; i++) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  all.push(...times)
  return rounds === 1 ? `${times[0]!.toFixed(0)} ms` : line(times)
}

function line(times: readonly number[]): string {
  return `p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`
}

/** Somebody writes as long as `work` takes; gives the milliseconds of each message. */
async function writing(db: Database, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  const stop = new AbortController()
  const writer = (async () => {
    while (!stop.signal.aborted) {
      const begun = performance.now()
      await addMessage(db)
      times.push(performance.now() - begun)
      await pause(WRITES_EVERY)
    }
  })()
  await work()
  stop.abort()
  await writer
  return times
}

async function indexSize(db: Database, text: number): Promise<string> {
  if (db.dialect.name === 'postgres') {
    const { rows } = await sql<Record<'gin' | 'grams' | 'segments', number>>`select
      pg_relation_size('search_index_grams') as gin, pg_total_relation_size('search_index') as grams,
      pg_total_relation_size('search_segment') as segments`.execute(db.read)
    const { gin, grams, segments } = rows[0]!
    return `${mebibytes(gin)} GIN, ${mebibytes(grams - gin)} its table and ${mebibytes(segments)} (${((grams + segments) / text).toFixed(2)} × the texts together)`
  }
  const { rows } = await sql<{ name: string; bytes: number }>`
    select name, sum(pgsize) as bytes from dbstat where name like 'search%' or name like 'sqlite_autoindex_search%' group by name`.execute(
    db.read,
  )
  const sum = (fits: (name: string) => boolean): number =>
    rows.filter((row) => fits(row.name)).reduce((all, row) => all + row.bytes, 0)
  const index = sum((name) => name.startsWith('search_index'))
  const folded = sum((name) => !name.startsWith('search_index'))
  const share = (bytes: number): string => `${mebibytes(bytes)} (${(bytes / text).toFixed(2)} × the texts)`
  return `${share(index)} and ${share(folded)}`
}

/** Words of every language and frequency, out of the middle of the corpus. */
async function fromCorpus(db: Database): Promise<Record<string, string>> {
  const rows = await db.read.selectFrom('message_part').select('text').limit(400).execute()
  const words = rows.flatMap(({ text }) => text.split(/[\s.]+/)).filter((word) => word.length > 5)
  const like = (pattern: RegExp, nth: number): string => words.filter((word) => pattern.test(word))[nth] ?? 'nothing'
  const latin = like(/^[a-z]+$/, 40)
  const german = like(/[äöü]/, 10)
  const cyrillic = like(/^[а-яё]+$/, 30)
  return {
    'an identifier': like(/disk_size/, 2),
    'part of an identifier': like(/var.log/, 2).slice(9, 13),
    'beginning of identifiers': 'disk_siz',
    'a word': latin,
    'a cyrillic word': cyrillic,
    'part of a word': like(/^[a-z]{8,}$/, 60).slice(2, 7),
    accents: german.toUpperCase(),
    'two words': `${german} ${like(/[äöü]/, 17)}`,
    'two words of two languages': `${latin} ${cyrillic}`,
  }
}

/** What the search would be without an index, and without folding. */
async function scan(db: Database, q: string): Promise<unknown> {
  return sql`select distinct c.conversation_id, c.updated_at from message_part p join message m on m.message_id = p.message_id
    join conversation c on c.conversation_id = m.conversation_id
    where c.user_id = ${OWNER} and c.deleted_at is null and p.text like ${`%${q}%`}
    order by c.updated_at desc limit 50`.execute(db.read)
}
