import { useQueryClient } from '@tanstack/react-query'
import type { Output } from '../../client/api-types.ts'

interface Pages {
  readonly pages: readonly Output<'GET /api/admin/users'>[]
}

/** Name of the user whose id is in the address, if a list has loaded it; otherwise the id. */
export function useActorName(userId: string | undefined): string {
  const queryClient = useQueryClient()
  const lists = queryClient.getQueriesData<Pages>({ queryKey: ['users', 'list'] })
  for (const [, list] of lists) {
    for (const { items } of list?.pages ?? []) {
      const user = items.find(({ user_id }) => user_id === userId)
      if (user !== undefined) return user.username
    }
  }
  return userId ?? ''
}
