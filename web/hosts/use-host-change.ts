import { useMutation, useQueryClient } from '@tanstack/react-query'
import { explainError } from '../client/explain-error.ts'
import { toast } from '../parts/feedback/toast.tsx'

interface HostChange<T> {
  readonly run: () => Promise<T>
  /** Success message; none when the page makes it obvious. */
  readonly done?: string
  readonly after?: (answer: T) => void
}

/**
 * Makes one change to machines at a time and reads them again. `told`: a failure is shown as a message, because there is
 * no form to show it in.
 */
export function useHostChange<T = unknown>({ told = false } = {}) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: HostChange<T>) => run(),
    onSuccess: async (answer, { done, after }) => {
      await queryClient.invalidateQueries({ queryKey: ['hosts'] })
      if (done !== undefined) toast({ text: done, tone: 'ok' })
      after?.(answer)
    },
    onError: (error) => {
      void queryClient.invalidateQueries({ queryKey: ['hosts'] })
      if (told) toast({ text: explainError(error), tone: 'danger' })
    },
  })
}
