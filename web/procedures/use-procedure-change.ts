import { useMutation, useQueryClient } from '@tanstack/react-query'
import { explainError } from '../client/explain-error.ts'
import { toast } from '../parts/feedback/toast.tsx'

interface ProcedureChange<T> {
  readonly run: () => Promise<T>
  /** Success message; none when the page makes it obvious. */
  readonly done?: string
  readonly after?: (answer: T) => void
}

/**
 * Makes one change to procedures at a time and reads them again. `told`: a failure is shown as a message, because there is
 * no form to show it in.
 */
export function useProcedureChange<T = unknown>({ told = false } = {}) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: ProcedureChange<T>) => run(),
    onSuccess: async (answer, { done, after }) => {
      await queryClient.invalidateQueries({ queryKey: ['procedures'] })
      if (done !== undefined) toast({ text: done, tone: 'ok' })
      after?.(answer)
    },
    onError: (error) => {
      void queryClient.invalidateQueries({ queryKey: ['procedures'] })
      if (told) toast({ text: explainError(error), tone: 'danger' })
    },
  })
}
