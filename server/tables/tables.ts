import { join } from 'node:path'
import type { FoundReading } from '../../contract/table-reading.ts'
import type { TableChart } from '../../contract/table-chart.ts'
import { Sentence } from '../kernel/sentence.ts'
import type { Machine } from '../sandbox/machine.ts'
import { storedExports, type TableExports } from './jobs/stored-exports.ts'
import { storedSheet } from './jobs/stored-sheet.ts'
import { fetchBytes, PROGRAMS, SMALL, TableCache, type CachedFile } from './jobs/table-cache.ts'
import { TableError } from './shape/table-error.ts'
import { foundReading } from './read/found-reading.ts'
import { findSheet } from './shape/find-sheet.ts'
import { isWhole } from './query/read-view.ts'
import { KeptOrders } from './jobs/kept-orders.ts'
import type { ChartRows, PageRows, PreviewRows, QueryRows } from './shape/table-job.ts'
import type { TableCell, TableColumn } from './shape/table-shape.ts'
import { TABLE_LIMITS, type TableLimits } from './shape/table-limits.ts'
import type { TableSource } from './shape/table-source.ts'
import type { SheetView } from './shape/sheet-view.ts'
import { WorkerPool } from './jobs/worker-pool.ts'

export interface TablesOptions {
  /** Isolates the processes that read tables; without it they are plain processes. */
  readonly machine?: Machine | undefined
  /** A folder of its own for cached forms; it may be emptied at any time. */
  readonly folder: string
  readonly limits?: Partial<TableLimits>
}

export interface TableDescription {
  readonly format: string
  readonly encoding: string | null
  readonly delimiter: string | null
  readonly sheets: readonly {
    name: string
    rows: number
    columns: readonly TableColumn[]
    notices: readonly Sentence[]
  }[]
}

export interface PageRequest {
  /** The first sheet by default. */
  readonly sheet?: string | undefined
  readonly view?: SheetView | undefined
  /** The viewing user's: texts are sorted by its rules. */
  readonly language?: string | undefined
  /** From 1. */
  readonly page: number
  readonly page_size: number
}
export interface ChartRequest extends Omit<PageRequest, 'page' | 'page_size'> {
  readonly chart: TableChart
}
export interface TablePage {
  readonly sheets: readonly string[]
  readonly sheet: string
  readonly columns: readonly TableColumn[]
  readonly rows: readonly Record<string, TableCell>[]
  readonly texts?: PageRows['texts']
  readonly page: number
  readonly page_size: number
  readonly total_rows: number
  readonly total_pages: number
  readonly notices: readonly Sentence[]
}

export type TablePreview = Pick<TablePage, 'sheets' | 'sheet' | 'columns' | 'rows' | 'texts' | 'notices'> & {
  readonly total_rows: number | null
}

export interface NamedSource {
  /** Its name in the SQL. */
  readonly name: string
  readonly source: TableSource
  readonly sheet?: string | undefined
  /** Only the rows that match these filters and this search. */
  readonly view?: SheetView | undefined
}

/** Tables in stored files: their structure, their pages, and SQL queries over them. Every method throws TableError. */
export interface Tables extends TableExports, AsyncDisposable {
  describe(source: TableSource, signal?: AbortSignal): Promise<TableDescription>
  page(source: TableSource, request: PageRequest, signal?: AbortSignal): Promise<TablePage>
  /** What a chart of all rows of a view draws, bounded. */
  chart(source: TableSource, request: ChartRequest, signal?: AbortSignal): Promise<ChartRows>
  /**
   * The first rows (at most 500) immediately: straight from the file as long as there is no cached form. Types are then
   * those of the beginning, and `total_rows` is null unless all rows are shown.
   */
  preview(
    source: TableSource,
    request: { sheet?: string | undefined; rows: number },
    signal?: AbortSignal,
  ): Promise<TablePreview>
  /** Runs one SELECT. Returns at most `limit` rows; `total_rows` counts all. */
  query(
    sources: readonly NamedSource[],
    sql: string,
    params: readonly TableCell[],
    limit: number,
    signal?: AbortSignal,
  ): Promise<QueryRows>
  /** How a sheet is read, whether chosen or detected; for a file without a cached form, judging by its beginning. */
  reading(source: TableSource, sheet: string | undefined, signal?: AbortSignal): Promise<FoundReading>
  /** Whether a file already has its cached form: then everything about it is known at once. */
  isRead(source: TableSource): Promise<boolean>
  /** A user will soon view a table: starts a process for it now, unless one is idle. It ends when it isn't used. */
  warm(): void
  /** Removes the cached form of a deleted file. Never rejects for a file that has none. */
  forget(key: string): Promise<void>
  keys: TableCache['keys']
  /** Frees space: removes everything cached, which is rebuilt when needed. */
  dropCaches(): Promise<void>
  /** Ids of the processes that read tables now, and how many jobs are waiting. */
  processes(): number[]
  waiting(): number
}

/** Rows that decide how a file is read. */
const READING_ROWS = 500
const NEVER = new AbortController().signal
/** Cells up to which a sheet is searched and sorted immediately. */
const LIGHT_CELLS = 200_000

/**
 * Opens the table engine. It costs nothing until the first call: the engine runs in separate processes, and these end
 * when there is nothing to do. A file is turned once into a cached form that holds every cell as text; pages, filters
 * and SQL work on that.
 */
export function openTables(options: TablesOptions): Tables {
  const limits = { ...TABLE_LIMITS, ...options.limits }
  const { memory, idle_ms, wait_ms } = limits
  const { folder, machine = null } = options
  // Separate, so that a large file being read doesn't hold up users who only want the next page.
  const common = { idle_ms, memory, folder, programs: join(folder, PROGRAMS), machine }
  const preparing = new WorkerPool({ ...common, places: { size: 2, each: 1 } })
  // One place is left for newcomers, and one for quick work: one owner's heavy query never holds up another's.
  const places = { size: 3, heavy: 2, each: 2, eachHeavy: 1 }
  const asking = new WorkerPool({ ...common, places, replaced: true })
  // Separate too, because saving a large workbook over a slow line holds a process for long.
  const exporting = new WorkerPool({ ...common, places: { size: 2, each: 1 } })
  const { cache_size: size, prepare_ms } = limits
  const cache = new TableCache({ folder, size, large: preparing, small: asking, prepare_ms, wait_ms })

  const orders = new KeptOrders({ cache, pool: preparing, ms: limits.prepare_ms })

  /** Retries from the bytes when the cached form has been damaged or removed. */
  async function withCached<T>(
    sources: readonly TableSource[],
    signal: AbortSignal,
    work: (files: CachedFile[]) => Promise<T>,
  ): Promise<T> {
    const files = async (): Promise<CachedFile[]> => Promise.all(sources.map((source) => cache.get(source, signal)))
    try {
      return await work(await files())
    } catch (error) {
      if (!(error instanceof TableError) || error.code !== 'stale') throw error
      for (const source of sources) await cache.forget(source.key)
      return work(await files())
    }
  }

  async function previewOf(
    source: TableSource,
    request: { sheet?: string | undefined; rows: number },
    signal: AbortSignal,
  ): Promise<TablePreview> {
    const limit = request.rows
    if (await cache.has(source)) return tables.page(source, { sheet: request.sheet, page: 1, page_size: limit }, signal)
    // One more than wanted tells whether these are all.
    const { file, rows, texts } = await beginningOf(source, { ...request, rows: limit + 1 }, signal)
    const { sheet } = findSheet(file, source, request.sheet)
    return {
      sheets: file.sheets.map((each) => each.name),
      sheet: sheet.name,
      columns: sheet.columns.map(shown),
      rows: rows.slice(0, limit),
      ...(texts === undefined ? {} : { texts: texts.slice(0, limit) }),
      notices: sheet.notices.map((notice) => Sentence.unpack(notice)),
      total_rows: rows.length > limit ? null : rows.length,
    }
  }

  /** The first rows, straight from the file. */
  async function beginningOf(
    source: TableSource,
    { sheet = null, rows }: { sheet?: string | null | undefined; rows: number },
    signal: AbortSignal,
  ): Promise<PreviewRows> {
    await using scratch = await cache.scratch()
    const path = source.path ?? (await fetchBytes(source, join(scratch.path, 'source'), signal))
    const { name, reading = {} } = source
    const job = { kind: 'preview', path, name, reading, sheet, rows, scratch: scratch.path } as const
    const light = source.size <= SMALL
    return await asking.run(job, { owner: source.owner, light, ms: limits.page_ms, wait_ms, signal })
  }

  const tables: Tables = {
    async describe(source, signal = NEVER) {
      const { file } = await cache.get(source, signal, true)
      return {
        ...file,
        sheets: file.sheets.map(({ name, rows, columns, notices }) => ({
          name,
          rows,
          columns: columns.map(shown),
          notices: notices.map((notice) => Sentence.unpack(notice)),
        })),
      }
    },
    page: (source, request, signal = NEVER) =>
      withCached([source], signal, async ([cached]) => {
        const { file } = cached!
        const { sheet, index } = findSheet(file, source, request.sheet)
        const { page, page_size, view = {} } = request
        const sorted = {
          sheet: storedSheet(cached!, index),
          view,
          language: request.language,
          offset: (page - 1) * page_size,
        }
        const order = await orders.of(sorted, source.owner, signal)
        await using scratch = await cache.scratch()
        const job = { kind: 'page', ...sorted, order, limit: page_size, scratch: scratch.path } as const
        const light = order !== undefined || isWhole(view) || sheet.rows * sheet.columns.length <= LIGHT_CELLS
        const { owner } = source
        const found = await asking.run(job, { owner, light, ms: limits.page_ms, wait_ms, signal })
        const keys = view.columns?.map((key) => key.toLowerCase())
        const columns =
          keys === undefined
            ? sheet.columns
            : keys.flatMap((key) => sheet.columns.filter((each) => each.key.toLowerCase() === key))
        return {
          sheets: file.sheets.map(({ name }) => name),
          sheet: sheet.name,
          columns: columns.map(shown),
          ...found,
          page,
          page_size,
          total_pages: Math.max(1, Math.ceil(found.total_rows / page_size)),
          notices: sheet.notices.map((notice) => Sentence.unpack(notice)),
        }
      }),
    chart: (source, { chart, ...request }, signal = NEVER) =>
      withCached([source], signal, async ([cached]) => {
        const { sheet, index } = findSheet(cached!.file, source, request.sheet)
        await using scratch = await cache.scratch()
        const { view = {}, language } = request
        const stored = storedSheet(cached!, index)
        const job = { kind: 'chart', sheet: stored, view, language, chart, scratch: scratch.path } as const
        const light = sheet.rows * sheet.columns.length <= LIGHT_CELLS
        return await asking.run(job, { owner: source.owner, light, ms: limits.page_ms, wait_ms, signal })
      }),
    query: (sources, sql, params, limit, signal = NEVER) =>
      withCached(
        sources.map(({ source }) => source),
        signal,
        async (files) => {
          const named = sources.map(({ name, source, sheet, view = {} }, i) => ({
            name,
            view,
            sheet: storedSheet(files[i]!, findSheet(files[i]!.file, source, sheet).index),
          }))
          await using scratch = await cache.scratch()
          const job = { kind: 'query', sources: named, sql, params, limit, scratch: scratch.path } as const
          // Awaited here: the folder must outlive the job.
          const owner = sources[0]?.source.owner ?? ''
          return await asking.run(job, { owner, ms: limits.query_ms, wait_ms, signal })
        },
      ),
    ...storedExports({ cache, withCached, pool: exporting, limits }),
    preview: (source, request, signal = NEVER) => previewOf(source, request, signal),
    async reading(source, wanted, signal = NEVER) {
      const file = (await cache.has(source))
        ? (await cache.get(source, signal)).file
        : (await beginningOf(source, { sheet: wanted, rows: READING_ROWS }, signal)).file
      return foundReading(file, findSheet(file, source, wanted).sheet)
    },
    isRead: (source) => cache.has(source),
    warm: () => asking.warm(),
    forget: (key) => cache.forget(key),
    keys: () => cache.keys(),
    dropCaches: () => cache.empty(),
    processes: () => [...preparing.pids(), ...asking.pids(), ...exporting.pids()],
    waiting: () => preparing.waiting() + asking.waiting() + exporting.waiting(),
    async [Symbol.asyncDispose]() {
      await Promise.all([preparing, asking, exporting].map((pool) => pool[Symbol.asyncDispose]()))
    },
  }
  return tables
}

function shown({ key, label, type, nullable }: TableColumn): TableColumn {
  return { key, label, type, nullable }
}
