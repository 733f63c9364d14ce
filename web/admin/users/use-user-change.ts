import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../parts/feedback/toast.tsx'

export interface UserChange<T = unknown> {
  readonly run: () => Promise<T>
  /** Success message; none when the next view makes it obvious. */
  readonly done?: string
  /** Called after success. */
  readonly after?: (answer: T) => void
}

/** Makes one change to a user at a time, refreshes the lists, and keeps the error if it failed. */
export function useUserChange<T = unknown>() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: UserChange<T>) => run(),
    onSuccess: (answer, { done, after }) => {
      if (done !== undefined) toast({ text: done, tone: 'ok' })
      after?.(answer)
    },
    // Also after a refusal: the page was out of date.
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['users'] })
      void queryClient.invalidateQueries({ queryKey: ['roles'] })
      void queryClient.invalidateQueries({ queryKey: ['session'] })
    },
  })
}
