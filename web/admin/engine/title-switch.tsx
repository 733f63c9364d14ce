import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { enginesQuery } from './engine-query.ts'

/** Whether an engine names conversations after their first exchange. */
export function TitleSwitch({ on }: { readonly on: boolean }) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (titles: boolean) => call('PUT /api/admin/ai/titles', { body: { titles } }),
    onSettled: () => client.invalidateQueries(enginesQuery),
    onError: (error) => toast({ text: explainError(error), tone: 'danger' }),
  })
  return (
    <Panel className="p-4">
      <CheckField
        label={t('engine.titles')}
        hint={t('engine.titles_hint')}
        checked={save.isPending ? save.variables : on}
        onChange={save.mutate}
      />
    </Panel>
  )
}
