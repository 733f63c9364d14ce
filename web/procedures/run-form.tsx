import { useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useState } from 'react'
import type { ProcedureDetail, ProcedureVersion } from '../../contract/procedure-values.ts'
import { newIdempotencyKey } from '../chat/composer/idempotency-key.ts'
import { call } from '../client/api.ts'
import { fieldErrors } from '../client/field-errors.ts'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { FormDialog } from '../parts/layout/form-dialog.tsx'
import { t } from '../text/i18n.ts'
import { useProcedureChange } from './use-procedure-change.ts'
import { textsOf, ValueFields, valuesOf } from './value-fields.tsx'

interface RunFormProps {
  readonly detail: ProcedureDetail
  readonly version: ProcedureVersion
  onClose(): void
}

/** Asks for the values of a run, and begins it in a conversation of its own. */
export function RunForm({ detail, version, onClose }: RunFormProps) {
  const { procedure, machines } = detail
  const { params } = version
  const [texts, setTexts] = useState(() => textsOf(params, machines))
  // Other values are another request.
  const [key, setKey] = useState(newIdempotencyKey)
  const navigate = useNavigate()
  const run = useProcedureChange<{ conversation_id: string }>()
  const errors = fieldErrors(run.error, ['values'])
  const onSubmit = (): void => {
    if (run.isPending) return
    const values = valuesOf(params, texts)
    run.mutate({
      run: () =>
        call('POST /api/procedures/{procedure_id}/runs', {
          params: { procedure_id: procedure.procedure_id },
          body: { version: version.version, values },
          headers: { 'idempotency-key': key },
        }),
      after: ({ conversation_id }) => void navigate({ to: '/chat', search: { c: conversation_id } }),
    })
  }
  return (
    <FormDialog
      title={t('procedures.run_title', { name: procedure.name })}
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t('procedures.run')}
      icon={Play}
      busy={run.isPending}
      checkedByBrowser
    >
      {run.isError && errors.size === 0 && <ErrorNotice title={t('procedures.not_started')} error={run.error} />}
      {params.length === 0 && <p>{t('procedures.run_plain', { count: version.steps.length })}</p>}
      <ValueFields
        params={params}
        machines={machines}
        texts={texts}
        errors={errors}
        onChange={(next) => {
          setTexts(next)
          setKey(newIdempotencyKey())
        }}
      />
    </FormDialog>
  )
}
