import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { isNumeric, type TableColumn, type TableSort } from './table-view.ts'

interface TableGridHeadProps {
  readonly columns: readonly TableColumn[]
  readonly sort: TableSort | null
  onSort(key: string): void
}

/** The sticky header of a grid: every column is a button that sorts by it. */
export function TableGridHead({ columns, sort, onSort }: TableGridHeadProps) {
  return (
    <thead className="sticky top-0 z-10 bg-sunken">
      <tr aria-rowindex={1}>
        {columns.map((column) => {
          const direction = sort?.key === column.key ? sort.direction : undefined
          const Arrow = direction === 'ascending' ? ArrowUp : direction === 'descending' ? ArrowDown : ChevronsUpDown
          return (
            <th
              key={column.key}
              scope="col"
              aria-sort={direction}
              className="border-b border-line p-0 font-medium whitespace-nowrap"
            >
              <button
                type="button"
                onClick={() => onSort(column.key)}
                className={`group flex h-8 w-full items-center gap-1 px-3 focus-visible:-outline-offset-2 hover:bg-hover ${isNumeric(column) ? 'flex-row-reverse text-end' : 'text-start'}`}
              >
                {column.label}
                <Arrow
                  aria-hidden="true"
                  size={13}
                  className={
                    direction
                      ? 'text-accent'
                      : 'text-muted opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100'
                  }
                />
              </button>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
