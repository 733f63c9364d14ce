import { join } from 'node:path'
import { begun } from './begun-stream.ts'
import { fetchBytes, PROGRAMS, TableCache, type CachedFile } from './table-cache.ts'
import { TableError } from './table-error.ts'
import { findSheet } from './find-sheet.ts'
import type { ExportPlan } from './export/export-plan.ts'
import type { QueryRows, StoredSheet } from './table-job.ts'
import type { PreparedSheet, TableCell, TableColumn } from './table-shape.ts'
import type { TableSource } from './table-source.ts'
import type { TableView } from './table-view.ts'
import { WorkerPool } from './worker-pool.ts'

export interface TablesOptions {
  /** An own folder for cached forms; it may be emptied at any time. */
  readonly folder: string
  readonly limits?: Partial<TableLimits>
}
export interface TableLimits {
  /** Bytes of all cached forms. */
  readonly cache_size: number
  /** Milliseconds for reading a file for the first time, for a page and for a query. */
  readonly prepare_ms: number
  readonly page_ms: number
  readonly query_ms: number
  /** MiB of one worker, and milliseconds without work after which it ends. */
  readonly memory: number
  readonly idle_ms: number
}

export interface TableDescription {
  readonly format: string
  readonly encoding: string | null
  readonly delimiter: string | null
  readonly sheets: readonly {
    name: string
    rows: number
    columns: readonly TableColumn[]
    notices: readonly string[]
  }[]
}

export interface PageRequest {
  /** The first sheet unless named. */
  readonly sheet?: string | undefined
  readonly view?: TableView | undefined
  /** From 1. */
  readonly page: number
  readonly page_size: number
}
export interface TablePage {
  readonly sheets: readonly string[]
  readonly sheet: string
  readonly columns: readonly TableColumn[]
  readonly rows: readonly Record<string, TableCell>[]
  readonly page: number
  readonly page_size: number
  readonly total_rows: number
  readonly total_pages: number
  readonly notices: readonly string[]
}

export type TablePreview = Pick<TablePage, 'sheets' | 'sheet' | 'columns' | 'rows' | 'notices'> & {
  readonly total_rows: number | null
}

export interface NamedSource {
  /** What the SQL calls it. */
  readonly name: string
  readonly source: TableSource
  readonly sheet?: string | undefined
  /** Only the rows that these filters and this search leave. */
  readonly view?: TableView | undefined
}

/** Tables in stored files: what they hold, page by page, and what SQL finds in them. Every method throws TableError. */
export interface Tables extends AsyncDisposable {
  describe(source: TableSource, signal?: AbortSignal): Promise<TableDescription>
  page(source: TableSource, request: PageRequest, signal?: AbortSignal): Promise<TablePage>
  /**
   * The first rows (at most 500) at once: straight from the file as long as there is no cached form. Types are then those of the
   * beginning, and `total_rows` is null unless all rows are shown.
   */
  preview(
    source: TableSource,
    request: { sheet?: string | undefined; rows: number },
    signal?: AbortSignal,
  ): Promise<TablePreview>
  /** One SELECT. At most `limit` rows are given; `total_rows` counts all. */
  query(
    sources: readonly NamedSource[],
    sql: string,
    params: readonly TableCell[],
    limit: number,
    signal?: AbortSignal,
  ): Promise<QueryRows>
  /**
   * All rows that a view leaves, as a workbook: `plan` says what is made of the sheet. What is wrong with the view is thrown before the
   * first byte; whoever stops reading ends the work.
   */
  export(
    source: TableSource,
    request: { sheet?: string | undefined; view: TableView },
    plan: (found: { sheet: PreparedSheet; sheets: number }) => ExportPlan,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
  /** Whether a file has its cached form already: everything about it is known at once. */
  isRead(source: TableSource): Promise<boolean>
  /** Somebody will soon look at a table: starts the process for it now, unless one waits. It ends when nobody comes. */
  warm(): void
  /** Removes the cached form of a file that is deleted. Never rejects for one that has none. */
  forget(key: string): Promise<void>
  /** Ids of the processes that read tables now, and how many jobs wait for one. */
  processes(): number[]
  waiting(): number
}

const DEFAULTS: TableLimits = {
  cache_size: 4 * 1024 ** 3,
  prepare_ms: 600_000,
  page_ms: 30_000,
  query_ms: 60_000,
  memory: 1536,
  idle_ms: 60_000,
}
const NEVER = new AbortController().signal

/**
 * Opens the table engine. It costs nothing until the first call: the engine lives in processes of its own, and these end when there is
 * nothing to do. A file is turned once into a cached form that holds every cell as text; pages, filters and SQL work on that.
 */
export function openTables(options: TablesOptions): Tables {
  const limits = { ...DEFAULTS, ...options.limits }
  const { memory, idle_ms } = limits
  // Apart, so that a large file on its way in does not hold up who only wants to see the next page.
  const programs = join(options.folder, PROGRAMS)
  const preparing = new WorkerPool({ size: 2, idle_ms, memory, programs })
  const asking = new WorkerPool({ size: 2, idle_ms, memory, programs, replaced: true })
  // And apart, because who saves a large workbook over a slow line holds a process for long.
  const exporting = new WorkerPool({ size: 2, idle_ms, memory, programs })
  const { folder } = options
  const cache = new TableCache({ folder, size: limits.cache_size, pool: preparing, prepare_ms: limits.prepare_ms })

  /** Once more from the bytes when the cached form has been damaged or removed. */
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
    await using scratch = await cache.scratch()
    const path = source.path ?? (await fetchBytes(source, join(scratch.path, 'source'), signal))
    const { name } = source
    // One more than wanted tells whether these are all.
    const job = {
      kind: 'preview',
      path,
      name,
      sheet: request.sheet ?? null,
      rows: limit + 1,
      scratch: scratch.path,
    } as const
    const { file, rows } = await asking.run(job, { ms: limits.page_ms, signal })
    const { sheet } = findSheet(file, source, request.sheet)
    return {
      sheets: file.sheets.map((each) => each.name),
      sheet: sheet.name,
      columns: sheet.columns.map(shown),
      rows: rows.slice(0, limit),
      notices: sheet.notices,
      total_rows: rows.length > limit ? null : rows.length,
    }
  }

  const tables: Tables = {
    async describe(source, signal = NEVER) {
      const { file } = await cache.get(source, signal)
      return {
        ...file,
        sheets: file.sheets.map(({ name, rows, columns, notices }) => ({
          name,
          rows,
          columns: columns.map(shown),
          notices,
        })),
      }
    },
    page: (source, request, signal = NEVER) =>
      withCached([source], signal, async ([cached]) => {
        const { file } = cached!
        const { sheet, index } = findSheet(file, source, request.sheet)
        const { page, page_size, view = {} } = request
        await using scratch = await cache.scratch()
        const job = {
          kind: 'page',
          sheet: stored(cached!, index),
          view,
          offset: (page - 1) * page_size,
          limit: page_size,
          scratch: scratch.path,
        } as const
        const { rows, total_rows } = await asking.run(job, { ms: limits.page_ms, signal })
        const keys = view.columns?.map((key) => key.toLowerCase())
        const columns =
          keys === undefined
            ? sheet.columns
            : keys.flatMap((key) => sheet.columns.filter((each) => each.key.toLowerCase() === key))
        return {
          sheets: file.sheets.map(({ name }) => name),
          sheet: sheet.name,
          columns: columns.map(shown),
          rows,
          page,
          page_size,
          total_rows,
          total_pages: Math.max(1, Math.ceil(total_rows / page_size)),
          notices: sheet.notices,
        }
      }),
    query: (sources, sql, params, limit, signal = NEVER) =>
      withCached(
        sources.map(({ source }) => source),
        signal,
        async (files) => {
          const named = sources.map(({ name, source, sheet, view = {} }, i) => ({
            name,
            view,
            sheet: stored(files[i]!, findSheet(files[i]!.file, source, sheet).index),
          }))
          await using scratch = await cache.scratch()
          const job = { kind: 'query', sources: named, sql, params, limit, scratch: scratch.path } as const
          // Awaited here: the folder has to outlive the job.
          return await asking.run(job, { ms: limits.query_ms, signal })
        },
      ),
    export: (source, request, plan, signal = NEVER) =>
      withCached([source], signal, async ([cached]) => {
        const { sheet, index } = findSheet(cached!.file, source, request.sheet)
        const made = plan({ sheet, sheets: cached!.file.sheets.length })
        const job = { kind: 'export', sheet: stored(cached!, index), view: request.view, plan: made } as const
        return begun(
          withScratch(cache, (scratch) => exporting.stream({ ...job, scratch }, { ms: limits.query_ms, signal })),
        )
      }),
    preview: (source, request, signal = NEVER) => previewOf(source, request, signal),
    isRead: (source) => cache.has(source),
    warm: () => asking.warm(),
    forget: (key) => cache.forget(key),
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

function stored({ data, file }: CachedFile, index: number): StoredSheet {
  const { columns, rows } = file.sheets[index]!
  return { file: data, index, columns, rows }
}

async function* withScratch<T>(cache: TableCache, work: (scratch: string) => AsyncIterable<T>): AsyncGenerator<T> {
  await using scratch = await cache.scratch()
  yield* work(scratch.path)
}
