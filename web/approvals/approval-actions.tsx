import { lazy, Suspense, useState } from 'react'
import type { Approval, GrantWanted } from '../../contract/chat.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { useArmed } from '../parts/controls/use-armed.ts'
import { type Decidable, type Send, useDecision } from './use-decision.ts'

type Decision = Approval['decisions'][number]

const ApprovalOffers = lazy(async () => ({ default: (await import('./approval-offers.tsx')).ApprovalOffers }))

/**
 * The buttons of a pending card, at its lower edge or that of the view. They arm after half a second and no key presses
 * them, so nobody decides by accident. The reason for a denial is asked for above them, in view as they are.
 */
export function ApprovalActions<Card extends Pick<Approval, 'status'>>({
  approval,
  send,
  onDecided,
  withdraws = false,
}: {
  readonly approval: Decidable
  readonly send: Send<Card>
  readonly onDecided: (approval: Card) => void
  /** Others decide: who asks can only take it back. */
  readonly withdraws?: boolean
}) {
  const armed = useArmed()
  const [denying, setDenying] = useState(false)
  const [reason, setReason] = useState('')
  const [grant, setGrant] = useState<GrantWanted | null>(null)
  const decision = useDecision(approval, send, onDecided)
  const decide = (chosen: Decision): void =>
    decision.mutate({
      decision: chosen,
      ...(chosen === 'approve' && grant !== null ? { grant } : {}),
      ...(chosen === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {}),
    })
  const waiting = decision.isPending ? decision.variables.decision : null
  const ready = armed && waiting === null
  const offers = (one: Decision): boolean => approval.decisions.includes(one)
  return (
    <div className="border-line bg-surface sticky bottom-0 space-y-3 rounded-b-lg border-t px-4 py-3">
      {decision.isError && <ErrorNotice title={t('approval.not_decided')} error={decision.error} />}
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
      {!denying && approval.offers !== undefined && (
        <Suspense fallback={<div className="h-5" />}>
          <ApprovalOffers approval={approval} value={grant} onChange={setGrant} />
        </Suspense>
      )}
      <div className="flex flex-wrap gap-2">
        {!denying && offers('approve') && (
          <Button
            variant={approval.effect === 'destructive' ? 'danger' : 'primary'}
            disabled={!ready}
            busy={waiting === 'approve'}
            onClick={() => decide('approve')}
          >
            {t('approval.approve')}
          </Button>
        )}
        {!denying && offers('approve_for_conversation') && (
          <Button
            disabled={!ready}
            busy={waiting === 'approve_for_conversation'}
            onClick={() => decide('approve_for_conversation')}
          >
            {t('approval.approve_for_conversation')}
          </Button>
        )}
        {offers('deny') && (
          <Button
            variant={denying ? 'primary' : 'secondary'}
            disabled={!ready}
            busy={waiting === 'deny'}
            onClick={() => (denying || withdraws ? decide('deny') : setDenying(true))}
          >
            {t(withdraws ? 'votes.withdraw' : denying ? 'approval.deny' : 'approval.deny_ask')}
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
