import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../controls/button.tsx'
import { QueryView } from './query-view.tsx'

interface PagedViewProps<T> {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly T[] }>>
  /** Heading of the error. */
  readonly failed: string
  /** Placeholder while loading. */
  readonly loading: ReactNode
  /** What the button for the next page says, if not that it brings older ones. */
  readonly more?: string
  /** Of the button. */
  readonly className?: string
  /** Draws the items of all pages so far. */
  children(items: readonly T[]): ReactNode
}

/** A list that comes page by page: its items so far, and below them a button while there are more. */
export function PagedView<T>({
  query,
  failed,
  loading,
  more = t('approvals.older'),
  className,
  children,
}: PagedViewProps<T>) {
  return (
    <>
      <QueryView query={query} failed={failed} loading={loading}>
        {({ pages }) => children(pages.flatMap(({ items }) => items))}
      </QueryView>
      {query.hasNextPage && (
        <Button className={className} busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {more}
        </Button>
      )}
    </>
  )
}
