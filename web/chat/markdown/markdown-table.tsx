import type { Token, Tokens } from 'marked'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { later, useLater } from '../../parts/later.ts'
import { t } from '../../text/i18n.ts'
import { inlineText } from './plain-text.ts'

/** Where tables get the tools of a grid: the heading above the block, or null where they are shown as written. */
export const TableTitle = createContext<string | null>(null)

/** With more, a table is a grid from the start. */
const FEW_ROWS = 5
const FEW_COLUMNS = 12
/** The grid's measures, in pixels: its place is kept until its code has loaded. */
const TOOLS_PX = 39
const HEAD_PX = 35
const ROW_PX = 33
const TALLEST_PX = 384

const gridPart = later(() => import('../../tables/written/written-grid.tsx'))

interface TableProps {
  readonly token: Tokens.Table
  /** Renders what a cell contains. */
  render(tokens: readonly Token[]): ReactNode
}

/** A table in Markdown. In an answer a small one has tools beside it, and a larger one is a grid. */
export function MarkdownTable({ token, render }: TableProps) {
  const title = useContext(TableTitle)
  return title === null ? (
    <WrittenRows token={token} render={render} />
  ) : (
    <ToolTable token={token} render={render} title={title} />
  )
}

function ToolTable({ token, render, title }: TableProps & { readonly title: string }) {
  const [asGrid, setAsGrid] = useState(false)
  const part = useLater(gridPart, { optional: true })
  const place = useRef<HTMLDivElement>(null)
  // The button that had the focus is gone.
  useEffect(() => {
    if (asGrid) place.current?.querySelector<HTMLElement>('[role=grid]')?.focus()
  }, [asGrid])
  const text = useMemo(() => {
    const plain = (cell: Tokens.TableCell): string => inlineText(cell.tokens).trim()
    return {
      title: title || t('chat.table'),
      head: token.header.map(plain),
      rows: token.rows.map((row) => row.map(plain)),
    }
  }, [token, title])
  const cell = useCallback(
    (row: number, column: number) => render(token.rows[row]?.[column]?.tokens ?? []),
    [token, render],
  )
  const rows = token.rows.length
  if (asGrid || rows > FEW_ROWS || token.header.length > FEW_COLUMNS) {
    if (part !== null)
      return (
        <div ref={place}>
          <part.WrittenGrid text={text} cell={cell} />
        </div>
      )
    const height = TOOLS_PX + Math.min(TALLEST_PX, HEAD_PX + ROW_PX * rows)
    return (
      <div className="overflow-hidden" style={{ height }}>
        <WrittenRows token={{ ...token, rows: token.rows.slice(0, FEW_ROWS * 2) }} render={render} />
      </div>
    )
  }
  return (
    <div className="group/table relative">
      <WrittenRows token={token} render={render} />
      {part !== null && (
        <div className="absolute end-1 -top-4 opacity-0 transition-opacity duration-100 group-focus-within/table:opacity-100 group-hover/table:opacity-100 has-aria-expanded:opacity-100">
          <part.WrittenTools text={text} onGrid={() => setAsGrid(true)} />
        </div>
      )}
    </div>
  )
}

function WrittenRows({ token, render }: TableProps) {
  return (
    <div className="markdown-table" role="group" aria-label={t('chat.table')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index} dir="auto" data-align={cell.align ?? undefined}>
                {render(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} dir="auto" data-align={cell.align ?? undefined}>
                  {render(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
