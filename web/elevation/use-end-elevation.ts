import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../client/api.ts'

/** Gives a role back, or withdraws a request for one. What the user may do is then another. */
export function useEndElevation() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (elevation_id: string) => call('POST /api/elevations/{elevation_id}/end', { params: { elevation_id } }),
    onSettled: () => queryClient.invalidateQueries(),
  })
}
