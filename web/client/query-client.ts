import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/** The cache of server responses. Events make entries stale, so nothing is polled. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // A refusal stays a refusal; only a missing response or a server error is worth retrying.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8000),
    },
  },
})
