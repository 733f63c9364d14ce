import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'

export interface QueryViewProps<T> {
  query: UseQueryResult<T>
  /** Heading of the error. */
  failed: string
  /** Placeholder while loading. */
  loading: ReactNode
  children: (data: T) => ReactNode
}

/** The three states of a query: loading, failed with a retry button, loaded. */
export function QueryView<T>({ query, failed, loading, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorNotice title={failed} error={query.error} onRetry={() => void query.refetch()} />
  return loading
}
