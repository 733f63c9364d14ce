import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as delayed } from 'node:timers/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { SheetView } from '../../server/tables/shape/sheet-view.ts'
import { openTables, type Tables } from '../../server/tables/tables.ts'
import { csvSource } from '../stage/documents/csv-source.ts'
import { mebibytes, median, percentile, report, residentBytes } from '../stage/measure.ts'
import { hand } from './figure.ts'

/** A CSV of 1,000,000 × 12: what the first look costs, what every further one, and what the service feels of it. */
const ROWS = Number(process.env['BENCH_ROWS'] ?? 1_000_000)
const TIMES = Number(process.env['BENCH_TIMES'] ?? 15)
const PAGE = 25
const CITIES = ['Berlin', 'Москва', '東京', 'القاهرة', 'São Paulo', 'Zürich 🚀', '"O\'Hara, ""NY"""']

async function writeCsv(path: string): Promise<void> {
  const out = createWriteStream(path)
  out.write('id,code,amount,price,day,moment,city,name,flag,big,note,rest\n')
  let batch = ''
  for (let i = 0; i < ROWS; i++) {
    const mixed = (i * 2_654_435_761) >>> 0
    const two = (n: number): string => String(n).padStart(2, '0')
    const note = mixed % 50 === 0 ? '"line one\nline ""two"""' : `note ${mixed % 997}`
    batch +=
      `${i},${String(mixed % 100_000).padStart(6, '0')},${(mixed % 1000) - 500},${(mixed % 1_000_000) / 100},` +
      `2024-${two((mixed % 12) + 1)}-${two((mixed % 28) + 1)},2024-01-01 ${two(mixed % 24)}:${two(mixed % 60)}:00,` +
      `${CITIES[mixed % 7]},Name of person ${mixed % 5000} ${i % 13},${mixed % 2 === 0},${10n ** 18n + BigInt(i)},${note},${mixed % 3 === 0 ? '' : 'x'}\n`
    if (batch.length < 1_000_000) continue
    if (!out.write(batch)) await once(out, 'drain')
    batch = ''
  }
  out.end(batch)
  await once(out, 'close')
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** `figure`: its name in the table of all benches. */
async function repeated(figure: string, work: (i: number) => Promise<unknown>): Promise<string> {
  const figures: number[] = []
  for (let i = 0; i < TIMES; i++) figures.push(await timed(() => work(i)))
  hand({ figure: `table: ${figure}, median`, value: median(figures), unit: 'ms' })
  return `median ${median(figures).toFixed(0)} ms, p95 ${percentile(figures, 0.95).toFixed(0)} ms`
}

const folder = await mkdtemp(join(tmpdir(), 'reeve-bench-tables-'))
const path = join(folder, 'rows.csv')
await writeCsv(path)
const source = await csvSource(path)
const cache = join(folder, 'cache')
const delay = monitorEventLoopDelay({ resolution: 5 })
const figures: Record<string, string> = {}
try {
  delay.enable()
  await using tables = openTables({ folder: cache })
  let peak = 0
  const watch = setInterval(() => {
    for (const pid of tables.processes()) peak = Math.max(peak, residentBytes(pid) || 0)
  }, 50)
  figures['first rows, nothing cached, service just started'] =
    `${(await timed(() => tables.preview(source, { rows: PAGE }))).toFixed(0)} ms`
  {
    await using next = openTables({ folder: cache })
    // What an upload, a list of files with a table in it and a look at one do.
    next.warm()
    await delayed(1000)
    figures['the same, its list of files was seen a second before'] =
      `${(await timed(() => next.preview(source, { rows: PAGE }))).toFixed(0)} ms`
    figures['memory of the process that waits'] = next
      .processes()
      .map((pid) => mebibytes(residentBytes(pid)))
      .join(', ')
  }
  figures['the same, worker running'] = await repeated('first rows', () => tables.preview(source, { rows: PAGE }))
  figures['first describe'] = `${(await timed(() => tables.describe(source))).toFixed(0)} ms (the cached form is made)`
  figures['memory of its process, at most'] = mebibytes(peak)
  clearInterval(watch)
  await using again: Tables = openTables({ folder: cache })
  figures['page, in a service just started'] =
    `${(await timed(() => again.page(source, { page: 1, page_size: PAGE }))).toFixed(0)} ms`
  const page = (number: number, view?: SheetView) => again.page(source, { view, page: number, page_size: PAGE })
  figures['page'] = await repeated('page', (i) => page(1 + i * 7))
  figures['page at 90 %'] = await repeated('page at 90 %', (i) => page(Math.floor((ROWS * 0.9) / PAGE) - i))
  const view: SheetView = {
    filters: [
      { column: 'amount', op: 'gt', value: 100 },
      { column: 'flag', op: 'eq', value: true },
    ],
    sort: [{ column: 'price', dir: 'desc' }],
  }
  figures['filter and sort'] = await repeated('filter and sort', (i) => page(1 + i, view))
  figures['search a word'] = await repeated('search a word', () => page(1, { search: 'моск' }))
  const ask = (sql: string) => again.query([{ name: 't', source }], sql, [], 100)
  figures['sums by group'] = await repeated('sums by group', () =>
    ask('SELECT city, count(*), sum(price), median(amount) FROM t GROUP BY 1'),
  )
  figures['join with itself'] = await repeated('join with itself', () =>
    ask('SELECT count(*) FROM t a JOIN t b ON a.id = b.id + 1'),
  )
  const { processes } = again
  figures['memory of the processes then'] = processes()
    .map((pid) => mebibytes(residentBytes(pid)))
    .join(', ')
  const stop = new AbortController()
  const endless = again
    .query([{ name: 't', source }], 'SELECT count(*) FROM t a, t b', [], 1, stop.signal)
    .catch(() => undefined)
  figures['cancel'] = `${((await timed(() => (setTimeout(() => stop.abort(), 100), endless))) - 100).toFixed(0)} ms`
  figures['event-loop delay of the service'] =
    `p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, at most ${(delay.max / 1e6).toFixed(1)} ms`
  report(`Table of ${ROWS.toLocaleString('en')} × 12, CSV of ${mebibytes(source.size)}`, figures)
} finally {
  await rm(folder, { recursive: true, force: true })
}
