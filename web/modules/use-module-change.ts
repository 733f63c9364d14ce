import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ModuleDetail, ModuleEntry } from '../../contract/modules.ts'
import { announce } from '../parts/announcer.tsx'
import { toast } from '../parts/toast.tsx'
import { moduleQuery, modulesQuery } from './module-queries.ts'

export interface ModuleChange {
  /** Which of a page's actions it is, so that its button can be busy. */
  readonly id: string
  /** What did not work, when it does not: a heading. */
  readonly failed: string
  /** What is said when it has worked. */
  readonly done: string
  readonly run: () => Promise<{ module: ModuleDetail; catalog?: ModuleEntry[] }>
  /** After it has worked. */
  readonly after?: (module: ModuleDetail) => void
}

/** One action on a module at a time: shows its answer everywhere at once, and keeps why it failed. */
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
    // Also after a refusal: what is shown was out of date, or the module has another state now.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['modules'] }),
  })
}
