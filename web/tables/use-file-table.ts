import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { TableResult } from '../../contract/tables.ts'
import type { GridSource } from './grid-source.ts'
import { fetchRows, PAGE_ROWS, pageQuery, type TablePlace } from './table-pages.ts'
import { viewBody, type TableView } from './table-view.ts'

/** Milliseconds between the last key of a search and its request. */
const TYPING = 200

/**
 * The rows of a stored table, page by page as they come into sight. While another view is on its way the one before stays,
 * so that nothing flickers.
 */
export function useFileTable(fileId: string, sheet: string, view: TableView) {
  const client = useQueryClient()
  const asked = useSettled(view)
  const place: TablePlace = { fileId, sheet, view: JSON.stringify(viewBody(asked)) }
  const first = useQuery(pageQuery(place, 1))
  const shown = useRef<{ place: TablePlace; head: TableResult } | null>(null)
  if (first.data !== undefined) shown.current = { place, head: first.data }
  /** Of each sheet without search and filters: the page that said so may be forgotten by now. */
  const totals = useRef(new Map<string, number | null>())
  if (first.data !== undefined && place.view === '{}') totals.current.set(sheet, first.data.total_rows)
  const from = shown.current?.place ?? place
  const head = shown.current?.head ?? null

  const [pages, setPages] = useState<readonly number[]>([1])
  // Only the beginning of a file that is still being read can be had.
  const reachable =
    head === null || head.preparing ? [] : pages.filter((page) => page > 1 && page <= (head.total_pages ?? 1))
  const others = useQueries({ queries: reachable.map((page) => pageQuery(from, page)) })
  const rowsOf = (page: number) => (page === 1 ? head?.rows : others[reachable.indexOf(page)]?.data?.rows)

  const failed = others.find(({ isError }) => isError)
  const source: GridSource = {
    rowCount: head === null ? 0 : (head.total_rows ?? head.rows.length),
    row: (index) => rowsOf(Math.floor(index / PAGE_ROWS) + 1)?.[index % PAGE_ROWS],
    show: (top, bottom) => {
      const next = [Math.floor(top / PAGE_ROWS) + 1]
      const last = Math.floor(Math.max(top, bottom) / PAGE_ROWS) + 1
      if (last !== next[0]) next.push(last)
      setPages((before) => (before.join() === next.join() ? before : next))
    },
    rows: async (top, bottom) =>
      head?.preparing === true ? head.rows.slice(top, bottom + 1) : fetchRows(client, from, top, bottom),
  }
  return {
    head,
    source,
    /** Rows without search and filters, where that is known. */
    allRows: totals.current.get(from.sheet) ?? null,
    place: from,
    /** The answer for this view is not here yet. */
    busy: asked !== view || first.isPending,
    error: first.error ?? failed?.error ?? null,
    retry: () => void (first.isError ? first.refetch() : failed?.refetch()),
  }
}

/** The view once nobody is typing into its search; everything else at once. */
function useSettled(view: TableView): TableView {
  const [settled, setSettled] = useState(view)
  useEffect(() => {
    if (view === settled) return undefined
    if (view.search === settled.search) {
      setSettled(view)
      return undefined
    }
    const timer = setTimeout(() => setSettled(view), TYPING)
    return () => clearTimeout(timer)
  }, [view, settled])
  return settled
}
