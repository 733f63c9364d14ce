import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ELEVATION_LIMITS } from '../../contract/elevation-limits.ts'
import type { ElevatableRole } from '../../contract/elevations.ts'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { elevationsQuery } from './elevation-query.ts'

const SUGGESTED = 30

/** Asks for one of these roles: for how long, and what for. */
export function RequestForm({ roles }: { readonly roles: readonly ElevatableRole[] }) {
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState<string | null>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const role = roles.find(({ role_id }) => role_id === chosen) ?? roles[0]!
  const minutes = typed ?? String(Math.min(SUGGESTED, role.max_minutes))
  const number = /^\d{1,4}$/.test(minutes.trim()) ? Number(minutes) : 0
  const fits = number >= 1 && number <= role.max_minutes
  const request = useMutation({
    mutationFn: () =>
      call('POST /api/elevations', { body: { role_id: role.role_id, minutes: number, reason: reason.trim() } }),
    onSuccess: () => setReason(''),
    onSettled: () => queryClient.invalidateQueries({ queryKey: elevationsQuery.queryKey }),
  })
  const usable = fits && reason.trim() !== ''
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (usable && !request.isPending) request.mutate()
  }
  const max = t('elevation.minutes_hint', { max: formatNumber(role.max_minutes) })
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {request.isError && <ErrorNotice title={t('elevation.ask_failed')} error={request.error} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('users.role')}
          value={role.role_id}
          onChange={setChosen}
          options={roles.map(({ role_id, role: name }) => ({ value: role_id, label: name }))}
          hint={role.needs.map((need) => t('elevation.needs', { count: need.count, role: need.role })).join(' ')}
        />
        <TextField
          label={t('elevation.minutes')}
          hint={max}
          error={fits ? null : max}
          value={minutes}
          onChange={setTyped}
          inputMode="numeric"
          autoComplete="off"
        />
      </div>
      <TextArea
        label={t('elevation.reason')}
        hint={t('elevation.reason_hint')}
        value={reason}
        onChange={setReason}
        maxLength={ELEVATION_LIMITS.reason}
        rows={2}
      />
      <Button type="submit" variant="primary" disabled={!usable} busy={request.isPending}>
        {t('elevation.ask')}
      </Button>
    </form>
  )
}
