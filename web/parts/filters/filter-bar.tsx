import { ListFilter, X } from 'lucide-react'
import { Children, type ReactNode, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { classNames } from '../class-names.ts'
import { Button } from '../controls/button.tsx'
import { SearchBox } from '../controls/search-box.tsx'
import { SettledSearch } from './settled-search.tsx'

interface FilterBarProps {
  readonly search?: {
    readonly label: string
    readonly value: string
    onChange(value: string): void
    /** Searches what is loaded, with every key; otherwise the server is asked when typing pauses. */
    readonly here?: boolean
  }
  /** Filters that are set, the search included: as many can be taken back at once. */
  readonly set: number
  onClear(): void
  /** What is listed, in words; null until it is known. */
  readonly count: string | null
  /** FilterChoice, FilterText and FilterDays. */
  readonly children?: ReactNode
}

/** More choices than this are folded where the bar is narrow. */
const UNFOLDED = 2

/** The head of every list that can be filtered: search, choices, taking them back, and how much there is. */
export function FilterBar({ search, set, onClear, count, children }: FilterBarProps) {
  const [open, setOpen] = useState(false)
  const folds = Children.toArray(children).length > UNFOLDED
  const Search = search?.here === true ? SearchBox : SettledSearch
  return (
    <div role="search" className="@container">
      <div className="flex flex-wrap items-center gap-2">
        {search !== undefined && (
          <Search
            label={search.label}
            value={search.value}
            onChange={search.onChange}
            className="min-w-0 flex-1 basis-56 @2xl:max-w-80"
          />
        )}
        {folds && (
          <Button icon={ListFilter} aria-expanded={open} onClick={() => setOpen(!open)} className="@2xl:hidden">
            {t('filters.title')}
          </Button>
        )}
        <div
          // Side by side, two say what they are without their names.
          data-pair={folds ? undefined : ''}
          className={classNames(
            'group/choices contents *:min-w-0 @max-2xl:w-full @max-2xl:gap-2 @max-2xl:empty:hidden',
            folds ? 'grid-cols-1' : '@max-2xl:grid-cols-2',
            folds && !open ? '@max-2xl:hidden' : '@max-2xl:grid',
          )}
        >
          {children}
        </div>
        {set > 0 && (
          <Button variant="ghost" icon={X} onClick={onClear}>
            {t('filters.clear')}
          </Button>
        )}
        <p role="status" className="text-muted tabular ms-auto flex min-h-6 items-center text-sm @2xl:min-h-9">
          {count}
        </p>
      </div>
    </div>
  )
}

/** `12 entries` of those that were loaded, or `More than 50 entries`; null until the first are there. */
export function countOf({ data, hasNextPage }: Pages): string | null {
  if (data === undefined) return null
  const count = data.pages.reduce((sum, { items }) => sum + items.length, 0)
  return countText(count, hasNextPage)
}

interface Pages {
  readonly data: { readonly pages: readonly { readonly items: readonly unknown[] }[] } | undefined
  readonly hasNextPage: boolean
}

export function countText(count: number, more = false): string {
  return t(more ? 'filters.count_more' : 'filters.count', { count })
}
