import { useNavigate } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import type { Procedure } from '../../contract/procedure-values.ts'
import { call } from '../client/api.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { t } from '../text/i18n.ts'
import { useProcedureChange } from './use-procedure-change.ts'

/** Under a finished answer with calls: makes a draft of them, and opens it. */
export function MakeProcedure({ runId }: { readonly runId: string }) {
  const navigate = useNavigate()
  const change = useProcedureChange<{ procedure: Procedure }>({ told: true })
  return (
    <IconButton
      label={t('procedures.make')}
      icon={ListChecks}
      size="sm"
      disabled={change.isPending}
      onClick={() =>
        change.mutate({
          run: () => call('POST /api/procedures/from-run/{run_id}', { params: { run_id: runId } }),
          after: ({ procedure }) =>
            void navigate({ to: '/procedures/$id', params: { id: procedure.procedure_id }, search: { edit: true } }),
        })
      }
    />
  )
}
