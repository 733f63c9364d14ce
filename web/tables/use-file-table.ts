import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { TableResult } from '../../contract/tables.ts'
import type { GridSource } from './grid/grid-source.ts'
import { fetchChart, fetchRows, PAGE_ROWS, pageQuery, type TablePlace } from './table-pages.ts'
import { viewBody, type GridView } from './grid-view.ts'

/** Milliseconds between the last key press of a search and its request. */
const TYPING = 200

/**
 * The rows of a stored table, page by page as they come into view. While another view is loading, the previous one
 * stays, so that nothing flickers.
 */
export function useFileTable(fileId: string, sheet: string, view: GridView) {
  const client = useQueryClient()
  const asked = useSettled(view)
  const place: TablePlace = { fileId, sheet, view: JSON.stringify(viewBody(asked)) }
  const first = useQuery(pageQuery(place, 1))
  const shown = useRef<{ place: TablePlace; head: TableResult } | null>(null)
  if (first.data !== undefined) shown.current = { place, head: first.data }
  /** Per sheet, without search and filters: the page that reported it may have been dropped by now. */
  const totals = useRef(new Map<string, number | null>())
  if (first.data !== undefined && place.view === '{}') totals.current.set(sheet, first.data.total_rows)
  const from = shown.current?.place ?? place
  const head = shown.current?.head ?? null

  const [pages, setPages] = useState<readonly number[]>([1])
  // Only the beginning is available while a file is still being read.
  const reachable =
    head === null || head.preparing ? [] : pages.filter((page) => page > 1 && page <= (head.total_pages ?? 1))
  const others = useQueries({ queries: reachable.map((page) => pageQuery(from, page)) })
  const pageOf = (page: number) => (page === 1 ? head : others[reachable.indexOf(page)]?.data)

  const failed = others.find(({ isError }) => isError)
  const source: GridSource = {
    rowCount: head === null ? 0 : (head.total_rows ?? head.rows.length),
    row: (index) => pageOf(Math.floor(index / PAGE_ROWS) + 1)?.rows[index % PAGE_ROWS],
    shown: (index) => {
      const page = pageOf(Math.floor(index / PAGE_ROWS) + 1)
      const row = page?.rows[index % PAGE_ROWS]
      return row === undefined || page?.texts === undefined ? row : { ...row, ...page.texts[index % PAGE_ROWS] }
    },
    show: (top, bottom) => {
      const next = [Math.floor(top / PAGE_ROWS) + 1]
      const last = Math.floor(Math.max(top, bottom) / PAGE_ROWS) + 1
      if (last !== next[0]) next.push(last)
      setPages((before) => (before.join() === next.join() ? before : next))
    },
    rows: async (top, bottom) =>
      head?.preparing === true ? head.rows.slice(top, bottom + 1) : fetchRows(client, from, top, bottom),
    chart: (choice) => fetchChart(from, choice),
  }
  return {
    head,
    source,
    /** Number of rows without search and filters, if known. */
    allRows: totals.current.get(from.sheet) ?? null,
    place: from,
    /** The response for this view has not arrived yet. */
    busy: asked !== view || first.isPending,
    error: first.error ?? failed?.error ?? null,
    retry: () => void (first.isError ? first.refetch() : failed?.refetch()),
  }
}

/** The view, with its search delayed until typing pauses; everything else takes effect at once. */
function useSettled(view: GridView): GridView {
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
