import { queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'

/** Procedures that the reader may see, by name. `procedure.changed` makes everything here stale. */
export const proceduresQuery = queryOptions({
  queryKey: ['procedures'],
  queryFn: ({ signal }) => call('GET /api/procedures', { signal }),
})

export const examplesQuery = queryOptions({
  queryKey: ['procedures', 'examples'],
  queryFn: ({ signal }) => call('GET /api/procedures/examples', { signal }),
  staleTime: Infinity,
})

export function procedureQuery(procedure_id: string) {
  return queryOptions({
    queryKey: ['procedures', procedure_id],
    queryFn: ({ signal }) => call('GET /api/procedures/{procedure_id}', { params: { procedure_id }, signal }),
  })
}

export function procedureRunsQuery(procedure_id: string) {
  return queryOptions({
    queryKey: ['procedures', procedure_id, 'runs'],
    queryFn: ({ signal }) =>
      call('GET /api/procedures/{procedure_id}/runs', { params: { procedure_id }, query: { limit: 50 }, signal }),
    staleTime: 0,
  })
}
