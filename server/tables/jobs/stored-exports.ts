import type { ExportPlan, ExportRow, ExportTo } from '../shape/export-plan.ts'
import { findSheet } from '../shape/find-sheet.ts'
import { storedSheet } from './stored-sheet.ts'
import type { CachedFile, TableCache } from './table-cache.ts'
import type { TableSource } from '../shape/table-source.ts'
import type { PreparedSheet } from '../shape/table-shape.ts'
import type { SheetView } from '../shape/sheet-view.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface ExportRequest {
  readonly format: ExportTo['format']
  /** Of the file; null: that of its first plan. */
  readonly title: string | null
  /** `all`: every sheet that has columns, whole; in formats that hold one table, as an archive of files. */
  readonly sheet?: string | { readonly all: true } | undefined
  readonly view: SheetView
  /** The exporting user's: texts are sorted by its rules. */
  readonly language?: string | undefined
}

/** Exports of tables as files. Every method throws TableError. */
export interface TableExports {
  /**
   * All rows of a view, as a file: `plan` decides how each sheet is exported. An invalid view is reported before the
   * first byte; the work ends when the caller stops reading.
   */
  export(
    source: TableSource,
    request: ExportRequest,
    plan: (found: { sheet: PreparedSheet; sheets: number }) => ExportPlan,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
  /** Rows that aren't from a file, as Parquet: the other formats need no engine. */
  exportRows(
    owner: string,
    plan: ExportPlan,
    rows: readonly ExportRow[],
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
}

interface Exporting {
  readonly cache: TableCache
  readonly pool: WorkerPool
  /** Milliseconds without a byte. */
  readonly limits: { readonly prepare_ms: number; readonly query_ms: number; readonly wait_ms: number }
  withCached<T>(
    sources: readonly TableSource[],
    signal: AbortSignal,
    work: (files: CachedFile[]) => Promise<T>,
  ): Promise<T>
}

const NEVER = new AbortController().signal

/** Exports of stored sheets and of rows, each in a process that is held for as long as its bytes are being read. */
export function storedExports({ cache, pool, limits, withCached }: Exporting): TableExports {
  async function* stream(
    job: (scratch: string) => Parameters<WorkerPool['stream']>[0],
    { owner, format }: { owner: string; format: ExportTo['format'] },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    await using scratch = await cache.scratch()
    // Parquet is complete before its first byte can be read.
    const { prepare_ms, query_ms, wait_ms } = limits
    const ms = format === 'parquet' ? prepare_ms : query_ms
    yield* pool.stream(job(scratch.path), { owner, ms, wait_ms, signal })
  }

  return {
    export: (source, { sheet: wanted, view, format, title, language }, plan, signal = NEVER) =>
      withCached([source], signal, async ([cached]) => {
        const { sheets } = cached!.file
        const all = typeof wanted === 'object'
        const chosen = all ? sheets.flatMap((sheet, index) => (sheet.columns.length > 0 ? [{ sheet, index }] : [])) : []
        if (chosen.length === 0) chosen.push(findSheet(cached!.file, source, all ? undefined : wanted))
        const made = chosen.map(({ sheet, index }) => ({
          sheet: storedSheet(cached!, index),
          view,
          plan: plan({ sheet, sheets: sheets.length }),
        }))
        const { by, at, title: own } = made[0]!.plan
        const book = { title: title ?? own, by, at }
        const archive = all && format !== 'xlsx'
        return begun(
          stream(
            (scratch) => ({ kind: 'export', format, book, archive, language, sheets: made, scratch }),
            { owner: source.owner, format },
            signal,
          ),
        )
      }),
    exportRows: (owner, plan, rows, signal = NEVER) =>
      begun(stream((scratch) => ({ kind: 'export_rows', plan, rows, scratch }), { owner, format: 'parquet' }, signal)),
  }
}

/**
 * The same items, once the first one is there: whatever fails before it is thrown here, and not in the middle of an
 * answer.
 */
async function begun<T>(items: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  let first: IteratorResult<T> | null = await items.next()
  // Not a generator: returning one that was never started wouldn't end its source.
  const iterator: AsyncIterator<T> = {
    next() {
      const result = first
      first = null
      return result === null ? items.next() : Promise.resolve(result)
    },
    return: () => items.return(undefined),
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
