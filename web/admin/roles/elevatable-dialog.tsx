import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { ELEVATION_LIMITS } from '../../../contract/elevation-limits.ts'
import { call } from '../../client/api.ts'
import { rolesOfUsersQuery } from '../../modules/list/module-queries.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import type { Role } from '../../rules/tool-rules.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'

const COUNTS = ['0', '1', '2', '3'] as const
const SUGGESTED = '60'

interface ElevatableDialogProps {
  readonly role: Role
  onSaved(text: string): Promise<void>
  onClose(): void
}

/** Whether others may have this role for a while, for how long at most, and who must agree. */
export function ElevatableDialog({ role, onSaved, onClose }: ElevatableDialogProps) {
  const form = useId()
  const queryClient = useQueryClient()
  const roles = useQuery(rolesOfUsersQuery).data ?? []
  const { elevatable } = role
  const [allowed, setAllowed] = useState(elevatable !== undefined)
  const [minutes, setMinutes] = useState(String(elevatable?.max_minutes ?? SUGGESTED))
  const [counts, setCounts] = useState<Readonly<Record<string, number>>>(() =>
    Object.fromEntries((elevatable?.approvers ?? []).map(({ role_id, count }) => [role_id, count])),
  )
  const approvers = roles.flatMap(({ role_id }) => {
    const count = counts[role_id] ?? 0
    return count > 0 ? [{ role_id, count }] : []
  })
  const number = /^\d{1,4}$/.test(minutes.trim()) ? Number(minutes) : 0
  const fits = number >= 1 && number <= ELEVATION_LIMITS.minutes
  const some = approvers.length > 0 && approvers.length <= ELEVATION_LIMITS.approvers
  const usable = !allowed || (fits && some)
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /api/admin/roles/{role_id}', {
        params: { role_id: role.role_id },
        body: { elevatable: allowed ? { approvers, max_minutes: number } : null, revision: role.revision },
      }),
    onSuccess: async () => {
      onClose()
      await onSaved(t('elevation.saved', { role: role.name }))
    },
    onError: () => queryClient.invalidateQueries({ queryKey: ['roles'] }),
  })
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (usable && !save.isPending) save.mutate()
  }
  const hint = t('elevation.minutes_hint', { max: formatNumber(ELEVATION_LIMITS.minutes) })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('elevation.form_title', { role: role.name })}
      description={t('elevation.form_text')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={form} variant="primary" disabled={!usable} busy={save.isPending}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="space-y-4">
        {save.isError && <ErrorNotice title={t('elevation.save_failed')} error={save.error} />}
        <CheckField
          label={t('elevation.allow')}
          hint={elevatable !== undefined && !allowed ? t('elevation.ends_now') : undefined}
          checked={allowed}
          onChange={setAllowed}
        />
        {allowed && (
          <>
            <TextField
              label={t('elevation.minutes')}
              hint={hint}
              error={fits ? null : hint}
              value={minutes}
              onChange={setMinutes}
              inputMode="numeric"
              autoComplete="off"
            />
            <fieldset>
              <legend className="font-medium">{t('elevation.approvers')}</legend>
              <p className="text-muted mb-2 text-sm">
                {t('elevation.approvers_hint', { max: formatNumber(ELEVATION_LIMITS.approvers) })}
              </p>
              <div className="grid gap-3 sm:grid-cols-2">
                {roles.map(({ role_id, name }) => (
                  <SelectField
                    key={role_id}
                    label={name}
                    value={String(counts[role_id] ?? 0)}
                    onChange={(value) => setCounts({ ...counts, [role_id]: Number(value) })}
                    options={COUNTS.map((value) => ({
                      value,
                      label: value === '0' ? t('elevation.nobody') : formatNumber(Number(value)),
                    }))}
                  />
                ))}
              </div>
            </fieldset>
          </>
        )}
      </form>
    </Dialog>
  )
}
