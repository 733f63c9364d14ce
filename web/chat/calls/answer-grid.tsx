import { lazy, Suspense } from 'react'
import type { Table } from '../../../contract/chat.ts'

const AnswerTable = lazy(async () => ({ default: (await import('../../tables/answer-table.tsx')).AnswerTable }))

/** About what a column takes, in pixels. */
const COLUMN_PX = 150

/** A table of an answer. Its code loads with the first one; until then a place as high as the grid will be. */
export function AnswerGrid({ table }: { readonly table: Table }) {
  return (
    <Suspense
      fallback={
        <div
          className="rounded-lg border border-line bg-surface"
          style={{ height: 38 + Math.min(384, 33 * (table.rows.length + 1)) }}
        />
      }
    >
      <AnswerTable table={table} />
    </Suspense>
  )
}

/** A table among the text: of the text's measure, or as much of the pane as its columns need. */
export function WideGrid({ table }: { readonly table: Table }) {
  return (
    <div
      data-wide
      className="min-w-0"
      style={{ width: `min(100%, max(45rem, ${table.columns.length * COLUMN_PX}px))` }}
    >
      <AnswerGrid table={table} />
    </div>
  )
}
