import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ModuleDetail, ModuleEntry } from '../../../contract/modules.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { moduleQuery, modulesQuery } from './module-queries.ts'

export interface ModuleChange {
  /** Identifies the action on a page, so that its button can be busy. */
  readonly id: string
  /** Heading of the error message. */
  readonly failed: string
  /** Success message. */
  readonly done: string
  readonly run: () => Promise<{ module: ModuleDetail; catalog?: ModuleEntry[] }>
  /** Called after success. */
  readonly after?: (module: ModuleDetail) => void
}

/** Performs one action on a module at a time, updates the cache with its response, and keeps the error if it failed. */
export function useModuleChange() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: ModuleChange) => run(),
    onSuccess: ({ module, catalog }, { done, after }) => {
      queryClient.setQueryData(moduleQuery(module.name).queryKey, module)
      if (catalog !== undefined) queryClient.setQueryData(modulesQuery.queryKey, catalog)
      toast({ text: done, tone: 'ok' })
      announce(done)
      after?.(module)
    },
    // Also after a refusal: the page was out of date, or the module's state has changed.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['modules'] }),
  })
}
