import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Approval } from '../../contract/chat.ts'
import { call } from '../api.ts'
import { t } from '../i18n.ts'
import { announce } from './announcer.tsx'
import { Button } from './button.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { TextArea } from './text-area.tsx'

const ARM_MS = 500
/** A decided card shrinks to a record, and the buttons of the next one may come to lie under the pointer. */
const layoutChanged = new EventTarget()
type Decision = Approval['decisions'][number]

/** The buttons of a pending card. They arm after half a second and no key presses them, so nobody decides by accident. */
export function ApprovalActions({
  approval,
  onDecided,
}: {
  approval: Approval
  onDecided: (approval: Approval) => void
}) {
  const armed = useArmed()
  const [denying, setDenying] = useState(false)
  const [reason, setReason] = useState('')
  const queryClient = useQueryClient()
  const decide = useMutation({
    mutationFn: (decision: Decision) =>
      call('POST /api/chat/approvals/{approval_id}', {
        params: { approval_id: approval.approval_id },
        body: { decision, ...(decision === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {}) },
        headers: { prefer: 'respond-async' },
      }),
    onSuccess: (answer) => {
      announce(t(`approval_status.${answer.approval.status}`))
      layoutChanged.dispatchEvent(new Event('change'))
      onDecided(answer.approval)
    },
    // Also after a refusal: somebody else has decided, or it has expired, and the lists are out of date.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['approvals'] }),
  })
  const waiting = decide.isPending ? decide.variables : null
  const ready = armed && waiting === null
  const offers = (decision: Decision): boolean => approval.decisions.includes(decision)
  return (
    <div className="space-y-3">
      {decide.isError && <ErrorNotice title={t('approval.not_decided')} error={decide.error} />}
      {denying && (
        <TextArea
          label={t('approval.deny_reason')}
          hint={t('approval.deny_reason_hint')}
          value={reason}
          onChange={setReason}
          maxLength={1000}
          rows={2}
          autoFocus
        />
      )}
      <div className="flex flex-wrap gap-2">
        {!denying && offers('approve') && (
          <Button
            variant="primary"
            disabled={!ready}
            busy={waiting === 'approve'}
            onClick={() => decide.mutate('approve')}
          >
            {t('approval.approve')}
          </Button>
        )}
        {!denying && offers('approve_for_conversation') && (
          <Button
            disabled={!ready}
            busy={waiting === 'approve_for_conversation'}
            onClick={() => decide.mutate('approve_for_conversation')}
          >
            {t('approval.approve_for_conversation')}
          </Button>
        )}
        {offers('deny') && (
          <Button
            variant={denying ? 'danger' : 'secondary'}
            disabled={!ready}
            busy={waiting === 'deny'}
            onClick={() => (denying ? decide.mutate('deny') : setDenying(true))}
          >
            {t(denying ? 'approval.deny' : 'approval.deny_ask')}
          </Button>
        )}
        {denying && (
          <Button variant="ghost" disabled={waiting !== null} onClick={() => setDenying(false)}>
            {t('action.back')}
          </Button>
        )}
      </div>
    </div>
  )
}

/** False for half a second after appearing, after another card was decided, and after the tab comes back to the front. */
function useArmed(): boolean {
  const [armed, setArmed] = useState(false)
  useEffect(() => {
    let timer = setTimeout(() => setArmed(true), ARM_MS)
    const rearm = (): void => {
      clearTimeout(timer)
      setArmed(false)
      if (document.visibilityState === 'visible') timer = setTimeout(() => setArmed(true), ARM_MS)
    }
    document.addEventListener('visibilitychange', rearm)
    layoutChanged.addEventListener('change', rearm)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', rearm)
      layoutChanged.removeEventListener('change', rearm)
    }
  }, [])
  return armed
}
