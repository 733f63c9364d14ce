import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'
import { t } from '../../text/i18n.ts'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { quotaDraftOf, KINDS, limitOf, quotaOf, SPANS } from './quota-draft.ts'

export type RoleQuota = Output<'GET /api/admin/quotas'>['items'][number]

interface QuotaDialogProps {
  readonly role: RoleQuota
  /** '': all engines together. */
  readonly engineId: string
  /** The engine has a price, so cost can be limited. */
  readonly priced: boolean
  onClose(): void
}

/** Changes a role's limits per day and per month; an empty field means no limit. */
export function QuotaDialog({ role, engineId, priced, onClose }: QuotaDialogProps) {
  const [draft, setDraft] = useState(() => quotaDraftOf(role.quota))
  // Calls use no engine.
  const kinds = KINDS.filter((kind) => kind !== 'calls' || engineId === '')
  const queryClient = useQueryClient()
  const quota = quotaOf(draft)
  const save = useMutation({
    mutationFn: (body: NonNullable<typeof quota>) =>
      call('PUT /api/admin/roles/{role_id}/quota', {
        params: { role_id: role.role_id },
        body: { ...body, ...(engineId !== '' && { engine_id: engineId }) },
      }),
    onSuccess: () => {
      toast({ text: t('limits.saved'), tone: 'ok' })
      onClose()
    },
    onSettled: () => {
      for (const key of ['quotas', 'dashboard']) void queryClient.invalidateQueries({ queryKey: [key] })
    },
  })
  const onSubmit = (): void => {
    if (quota !== null && !save.isPending) save.mutate(quota)
  }
  return (
    <FormDialog
      title={t('limits.dialog_title', { role: role.role })}
      description={t('limits.dialog_text')}
      onClose={onClose}
      onSubmit={onSubmit}
      busy={save.isPending}
      disabled={quota === null}
      className="space-y-5"
    >
      {save.isError && <ErrorNotice title={t('limits.not_saved')} error={save.error} />}
      {SPANS.map((span) => (
        <fieldset key={span}>
          <legend className="mb-2 font-semibold">{t(`limits.${span}`)}</legend>
          <div className="grid gap-3 sm:grid-cols-2">
            {kinds.map((kind) => (
              <TextField
                key={kind}
                label={t(`limits.${kind}`)}
                value={draft[`${span}_${kind}`]}
                onChange={(text) => setDraft({ ...draft, [`${span}_${kind}`]: text })}
                placeholder={t('limits.unlimited')}
                error={limitOf(draft, span, kind) === undefined ? t('limits.wrong') : null}
                inputMode="decimal"
                autoComplete="off"
              />
            ))}
          </div>
        </fieldset>
      ))}
      {!priced && <Notice tone="info">{t('limits.not_priced')}</Notice>}
    </FormDialog>
  )
}
