import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../parts/toast.tsx'

export interface UserChange<T = unknown> {
  readonly run: () => Promise<T>
  /** What is said when it has worked; nothing where what is shown next says it. */
  readonly done?: string
  /** After it has worked. */
  readonly after?: (answer: T) => void
}

/** One change of a user at a time: the lists are read again, and why it failed is kept. */
export function useUserChange<T = unknown>() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: UserChange<T>) => run(),
    onSuccess: (answer, { done, after }) => {
      if (done !== undefined) toast({ text: done, tone: 'ok' })
      after?.(answer)
    },
    // Also after a refusal: what is shown was out of date.
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['users'] })
      void queryClient.invalidateQueries({ queryKey: ['roles'] })
      void queryClient.invalidateQueries({ queryKey: ['session'] })
    },
  })
}
