import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delayed } from 'node:timers/promises'
import { exportTable } from '../../server/tables/export-table.ts'
import type { TableSource } from '../../server/tables/shape/table-source.ts'
import { openTables, type Tables } from '../../server/tables/tables.ts'
import { csvSource } from '../stage/documents/csv-source.ts'
import { mebibytes, report } from '../stage/measure.ts'
import { hand } from './figure.ts'
import { installPeer } from './peer.ts'

/** Writing a workbook of 12 columns: ours from a stored CSV, others from rows that they have in memory; each in a process of its own. */
const ROWS = Number(process.env['BENCH_ROWS'] ?? 1_000_000)
const PEER_ROWS = Number(process.env['BENCH_PEER_ROWS'] ?? 100_000)
const CITIES = ['Berlin', 'Москва', '東京', 'القاهرة', 'São Paulo', 'Zürich 🚀', 'O\'Hara, "NY"']
const HEADER = ['id', 'code', 'amount', 'price', 'day', 'moment', 'city', 'name', 'flag', 'big', 'note', 'rest']

/** The same rows for each program, in its own language. */
const NODE_ROW = `
const cities = ${JSON.stringify(CITIES)}
const header = ${JSON.stringify(HEADER)}
const day = Date.UTC(2024, 0, 1)
const rowOf = (i) => {
  const m = (i * 2654435761) >>> 0
  return [i, String(m % 100000).padStart(6, '0'), (m % 1000) - 500, (m % 1000000) / 100, new Date(day + (m % 300) * 86400000),
    new Date(day + (m % 86400) * 1000), cities[m % 7], 'Name of person ' + (m % 5000) + ' ' + (i % 13), m % 2 === 0,
    '1' + String(i).padStart(18, '0'), 'note ' + (m % 997), m % 3 === 0 ? null : 'x']
}
const done = (begun) => console.log(JSON.stringify({ ms: performance.now() - begun }))
`
const PYTHON_ROW = `
import json, sys, time, datetime
cities = json.loads(sys.argv[3])
header = json.loads(sys.argv[4])
start = datetime.datetime(2024, 1, 1)
def row(i):
    m = (i * 2654435761) & 0xffffffff
    return [i, str(m % 100000).zfill(6), m % 1000 - 500, m % 1000000 / 100, start + datetime.timedelta(m % 300),
        start + datetime.timedelta(0, m % 86400), cities[m % 7], 'Name of person %d %d' % (m % 5000, i % 13), m % 2 == 0,
        '1' + str(i).zfill(18), 'note %d' % (m % 997), None if m % 3 == 0 else 'x']
begun = time.time()
count, path = int(sys.argv[1]), sys.argv[2]
`
const END = `print(json.dumps({'ms': (time.time() - begun) * 1000}))`

interface PeerProgram {
  readonly program: string
  readonly args: readonly string[]
  readonly install?: string | undefined
}

const PEERS: Record<string, PeerProgram> = {
  'Python XlsxWriter, constant_memory': python(`
import xlsxwriter
book = xlsxwriter.Workbook(path, {'constant_memory': True})
sheet = book.add_worksheet()
bold, date, time_ = book.add_format({'bold': True}), book.add_format({'num_format': 'yyyy-mm-dd'}), book.add_format({'num_format': 'yyyy-mm-dd hh:mm:ss'})
sheet.freeze_panes(1, 0)
for c, name in enumerate(header): sheet.write_string(0, c, name, bold)
for i in range(count):
    for c, v in enumerate(row(i)):
        if v is None: continue
        if c in (4, 5): sheet.write_datetime(i + 1, c, v, date if c == 4 else time_)
        elif c == 8: sheet.write_boolean(i + 1, c, v)
        elif c in (0, 2, 3): sheet.write_number(i + 1, c, v)
        else: sheet.write_string(i + 1, c, v)
sheet.autofilter(0, 0, count, 11)
book.close()
${END}`),
  'Python openpyxl, write-only': python(`
import openpyxl
book = openpyxl.Workbook(write_only=True)
sheet = book.create_sheet()
sheet.append(header)
for i in range(count): sheet.append(row(i))
book.save(path)
${END}`),
  SheetJS: node(`
import { createRequire } from 'node:module'
const { utils, writeFile } = createRequire(process.cwd() + '/')('xlsx')
const begun = performance.now()
const rows = [header]
for (let i = 0; i < ${PEER_ROWS}; i++) rows.push(rowOf(i))
const book = utils.book_new()
utils.book_append_sheet(book, utils.aoa_to_sheet(rows, { cellDates: true }), 'Data')
writeFile(book, process.env.OUT, { compression: true })
done(begun)`),
  'ExcelJS, streaming': node(
    `
import { createRequire } from 'node:module'
const excel = createRequire(process.env.PEER + '/')('exceljs')
const begun = performance.now()
const book = new excel.stream.xlsx.WorkbookWriter({ filename: process.env.OUT, useStyles: true })
const sheet = book.addWorksheet('Data')
sheet.addRow(header).commit()
for (let i = 0; i < ${PEER_ROWS}; i++) sheet.addRow(rowOf(i)).commit()
await book.commit()
done(begun)`,
    'exceljs@4.4.0',
  ),
  'hucre, streaming': node(`
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { writeXlsxStream } from 'hucre/xlsx'
const begun = performance.now()
const rows = function* () { for (let i = 0; i < ${PEER_ROWS}; i++) yield rowOf(i) }
const columns = header.map((name) => ({ header: name }))
await pipeline(writeXlsxStream(rows(), { name: 'Data', columns }), createWriteStream(process.env.OUT))
done(begun)`),
}

/** `install`: a package of the registry that it needs and the project has not. */
function node(program: string, install?: string): PeerProgram {
  return { program: process.execPath, args: ['--input-type=module', '-e', `${NODE_ROW}\n${program}`], install }
}

function python(program: string): PeerProgram {
  const args = ['-c', `${PYTHON_ROW}${program}`, String(PEER_ROWS)]
  return { program: process.env['BENCH_PYTHON'] ?? 'python3', args }
}

async function measurePeer(name: string, out: string): Promise<string> {
  const { program, args, install } = PEERS[name]!
  const installed = install === undefined ? null : installPeer(install)
  if (typeof installed === 'string') return installed
  using _ = installed
  const more = args[0] === '-c' ? [out, JSON.stringify(CITIES), JSON.stringify(HEADER)] : []
  const child = spawn(program, [...args, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, OUT: out, PEER: installed?.folder ?? '' },
  })
  let text = ''
  let trouble = ''
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (trouble += piece.toString()))
  const peak = watchPeaks(() => (child.pid === undefined ? [] : [child.pid]))
  const [code] = (await Promise.race([once(child, 'close'), once(child, 'error').then(() => [1])])) as [number]
  const memory = peak()
  if (code !== 0)
    return `not measured: ${/(Cannot find package|No module named) \S+|\w*Error: .*/.exec(trouble)?.[0] ?? 'it failed'}`
  const { ms } = JSON.parse(text) as { ms: number }
  return `${perSecond(PEER_ROWS, ms)}, ${mebibytes(memory)} at most (${PEER_ROWS.toLocaleString('en')} rows)`
}

/** The most that each of these processes had in memory at any time, added up; asked every 50 ms. */
function watchPeaks(pids: () => number[]): () => number {
  const peaks = new Map<number, number>()
  const timer = setInterval(() => {
    for (const pid of pids()) peaks.set(pid, residentNow(pid) ?? peaks.get(pid) ?? 0)
  }, 50)
  return () => {
    clearInterval(timer)
    return Math.max(0, ...peaks.values())
  }
}

function residentNow(pid: number): number | null {
  try {
    const size = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return size === undefined ? null : Number(size) * 1024
  } catch {
    return null
  }
}

function perSecond(rows: number, ms: number): string {
  return `${Math.round(rows / ms).toLocaleString('en')} thousand rows/s`
}

async function writeCsv(path: string): Promise<void> {
  const out = createWriteStream(path)
  let batch = `${HEADER.join(',')}\n`
  for (let i = 0; i < ROWS; i++) {
    const m = (i * 2_654_435_761) >>> 0
    const moment = new Date(Date.UTC(2024, 0, 1) + (m % 86_400) * 1000).toISOString().slice(0, 19)
    const day = new Date(Date.UTC(2024, 0, 1) + (m % 300) * 86_400_000).toISOString().slice(0, 10)
    const city = CITIES[m % 7]!
    batch +=
      `${i},${String(m % 100_000).padStart(6, '0')},${(m % 1000) - 500},${(m % 1_000_000) / 100},${day},${moment},` +
      `"${city.replaceAll('"', '""')}",Name of person ${m % 5000} ${i % 13},${m % 2 === 0},1${String(i).padStart(18, '0')},note ${m % 997},${m % 3 === 0 ? '' : 'x'}\n`
    if (batch.length < 1_000_000) continue
    if (!out.write(batch)) await once(out, 'drain')
    batch = ''
  }
  out.end(batch)
  await once(out, 'close')
}

async function measureOurs(
  tables: Tables,
  source: TableSource,
  out: string,
  figures: Record<string, string>,
): Promise<void> {
  const run = async (): Promise<{ first: number; ms: number; peak: number }> => {
    const peak = watchPeaks(() => tables.processes())
    const begun = performance.now()
    const how = { title: null, presentation: {}, by: 'Ann', at: new Date() }
    const { bytes } = await exportTable(tables, { source }, how, new AbortController().signal)
    let first = 0
    await pipeline(async function* () {
      for await (const piece of bytes) {
        first ||= performance.now() - begun
        yield piece
      }
    }, createWriteStream(out))
    return { first, ms: performance.now() - begun, peak: peak() }
  }
  const cold = await run()
  figures['ours, file never read before, on a first start: first byte'] =
    `${cold.first.toFixed(0)} ms (all after ${(cold.ms / 1000).toFixed(1)} s)`
  const warm = await run()
  figures['ours, file read before: first byte'] = `${warm.first.toFixed(0)} ms`
  hand(
    { figure: 'export: thousand rows', value: ROWS / warm.ms, unit: '/s', more: true },
    { figure: 'export: first byte, file read before', value: warm.first, unit: 'ms' },
  )
  figures['ours, stored CSV to workbook'] =
    `${perSecond(ROWS, warm.ms)}, ${mebibytes(warm.peak)} at most (${ROWS.toLocaleString('en')} rows, ${mebibytes((await stat(out)).size)})`
}

/** Milliseconds until the first byte comes; the rest is not taken. */
async function firstByte(tables: Tables, source: TableSource): Promise<number> {
  const stop = new AbortController()
  const begun = performance.now()
  const how = { title: null, presentation: {}, by: 'Ann', at: new Date() }
  const { bytes } = await exportTable(tables, { source }, how, stop.signal)
  await bytes[Symbol.asyncIterator]().next()
  const ms = performance.now() - begun
  stop.abort()
  return ms
}

const folder = await mkdtemp(join(tmpdir(), 'reeve-bench-export-'))
try {
  const path = join(folder, 'rows.csv')
  await writeCsv(path)
  const source = await csvSource(path)
  const figures: Record<string, string> = {}
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  {
    await using tables = openTables({ folder: join(folder, 'cache') })
    await measureOurs(tables, source, join(folder, 'ours.xlsx'), figures)
  }
  {
    await using tables = openTables({ folder: join(folder, 'cache') })
    // What an upload, a list of files with a table in it and a look at one do.
    tables.warm()
    await delayed(1000)
    figures['ours, file never read before, its list was seen: first byte'] =
      `${(await firstByte(tables, { ...source, key: 'never read' })).toFixed(0)} ms`
  }
  figures['event-loop delay of the service'] =
    `p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, at most ${(delay.max / 1e6).toFixed(1)} ms`
  delay.disable()
  for (const name of Object.keys(PEERS)) figures[name] = await measurePeer(name, join(folder, 'peer.xlsx'))
  report('Workbook of 12 columns', figures)
} finally {
  await rm(folder, { recursive: true, force: true })
}
