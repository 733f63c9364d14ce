import type { TableResult } from '../../contract/tables.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { isWhole, readView } from './query/read-view.ts'
import { TableError } from './shape/table-error.ts'
import type { TableFiles } from './table-files.ts'
import { formOf } from './shape/table-form.ts'
import type { TableSource } from './shape/table-source.ts'
import type { Tables } from './tables.ts'

export interface PageOptions {
  readonly tables: Tables
  readonly files: Pick<TableFiles, 'source'>
  /** Runs work in the background, apart from the request. */
  readonly background: (name: string, work: (signal: AbortSignal) => Promise<void>) => void
  /** Bytes of a file up to which it is quicker to read all of it at once; default 1 MiB. */
  readonly small?: number
}

export interface PageQuery {
  readonly page: number
  readonly page_size: number
  /** JSON text. */
  readonly view: string
  /** Empty: the first sheet. */
  readonly sheet: string
}

const SMALL = 1024 * 1024
const REMEMBERED = 1000

/**
 * Shows pages of stored files. The first page of a large file comes straight from its beginning while the rest is still
 * being read in the background; everything else waits for that. Rejects with AppError and TableError.
 */
export function pageShower({ tables, files, background, small = SMALL }: PageOptions) {
  const preparing = new Set<string>()
  /** Why files could not be read to the end: nobody is told to come back for more of them. */
  const broken = new Map<string, Sentence>()

  function prepare(source: TableSource): void {
    const key = formOf(source)
    if (preparing.has(key)) return
    preparing.add(key)
    background('read a table', async (signal) => {
      try {
        await tables.describe(source, signal)
      } catch (error) {
        if (!(error instanceof TableError)) throw error
        if (error.code === 'cancelled') return
        broken.set(key, error.detail)
        const [oldest] = broken.keys()
        if (broken.size > REMEMBERED) broken.delete(oldest!)
      } finally {
        preparing.delete(key)
      }
    })
  }

  return async function showPage(
    { user_id, language }: { readonly user_id: string; readonly language: string },
    file_id: string,
    query: PageQuery,
    signal: AbortSignal,
  ): Promise<TableResult> {
    const view = readView(query.view)
    const sheet = query.sheet === '' ? undefined : query.sheet
    const source = await files.source(user_id, file_id)
    const { page, page_size } = query
    const shown = { file_id, name: source.name, page, page_size, view }
    if (page > 1 || !isWhole(view) || source.size <= small) {
      const found = await tables.page(source, { sheet, view, language, page, page_size }, signal)
      broken.delete(formOf(source))
      return {
        ...shown,
        ...copyOf(found, language),
        total_rows: found.total_rows,
        total_pages: found.total_pages,
        preparing: false,
      }
    }
    const first = await tables.preview(source, { sheet, rows: page_size }, signal)
    const { total_rows } = first
    if (total_rows !== null) {
      const total_pages = Math.max(1, Math.ceil(total_rows / page_size))
      return { ...shown, ...copyOf(first, language), total_rows, total_pages, preparing: false }
    }
    const why = broken.get(formOf(source))
    if (why === undefined) prepare(source)
    const notices = why === undefined ? first.notices : [...first.notices, say`Only the beginning can be shown. ${why}`]
    return {
      ...shown,
      ...copyOf({ ...first, notices }, language),
      total_rows,
      total_pages: null,
      preparing: why === undefined,
    }
  }
}

type Found = Awaited<ReturnType<Tables['preview']>>

function copyOf(
  { sheets, sheet, columns, rows, texts, notices }: Found,
  language: string,
): Pick<TableResult, 'sheets' | 'sheet' | 'columns' | 'rows' | 'texts' | 'notices'> {
  const written = texts === undefined ? {} : { texts }
  const said = notices.map((notice) => notice.in(language))
  return { sheets: [...sheets], sheet, columns: [...columns], rows: [...rows], ...written, notices: said }
}
