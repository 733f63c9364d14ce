import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'

/** Starts the call that takes a change back. */
export function useUndo(change_id: string, onBegun: (begun: Output<'POST /api/changes/{change_id}/undo'>) => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call('POST /api/changes/{change_id}/undo', { params: { change_id } }),
    onSuccess: onBegun,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['changes'] }),
  })
}
