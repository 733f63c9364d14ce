import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'

export interface QueryViewProps<T> {
  query: UseQueryResult<T>
  /** What failed, when it fails. */
  failed: string
  /** The shape of what is coming. */
  loading: ReactNode
  children: (data: T) => ReactNode
}

/** The three states of something read from the server: coming, failed with a way to retry, there. */
export function QueryView<T>({ query, failed, loading, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorNotice title={failed} error={query.error} onRetry={() => void query.refetch()} />
  return loading
}
