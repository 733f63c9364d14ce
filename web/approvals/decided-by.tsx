import type { Approval } from '../../contract/chat.ts'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { t } from '../text/i18n.ts'

/** A decision as a sentence, with the person as others call them, and when. Their user name is its tooltip. */
export function DecidedBy({ approval }: { readonly approval: Approval }) {
  const { decided_by: username, decided_at: at, requested_at: requested } = approval
  return (
    <>
      <span title={username ?? undefined}>{decisionText(approval)}</span>
      {' · '}
      <RelativeTime at={at ?? requested} />
    </>
  )
}

function decisionText({ kind, status, decided_by: username, decided_by_name: called, decision_reason: why }: Approval): string {
  const name = called ?? username
  const reason = why ?? ''
  if (name !== null && kind !== 'question' && status === 'approved') return t('approval.approved_by', { name })
  if (name !== null && kind !== 'question' && status === 'denied')
    return reason === '' ? t('approval.denied_by', { name }) : t('approval.denied_by_because', { name, reason })
  if (kind === 'question') {
    const said = t(`question_status.${status}`)
    return name === null ? said : `${said} ${t('approval.by', { name })}`
  }
  return status === 'approved' || status === 'denied'
    ? t(`approval_status.${status}`)
    : t(`approval_status_text.${status}`)
}
