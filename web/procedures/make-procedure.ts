import { call } from '../client/api.ts'
import { explainError } from '../client/explain-error.ts'
import { queryClient } from '../client/query-client.ts'
import { toast } from '../parts/feedback/toast.tsx'

/** Makes a draft of the calls of a run. @returns its id; null: it could not be made, and that has been said */
export async function makeProcedure(run_id: string): Promise<string | null> {
  try {
    const { procedure } = await call('POST /api/procedures/from-run/{run_id}', { params: { run_id } })
    return procedure.procedure_id
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
    return null
  } finally {
    void queryClient.invalidateQueries({ queryKey: ['procedures'] })
  }
}
