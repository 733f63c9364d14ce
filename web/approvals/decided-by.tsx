import type { Approval } from '../../contract/chat.ts'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { t } from '../text/i18n.ts'

type Decided = Pick<Approval, 'kind' | 'status' | 'decided_by' | 'decided_by_name'>

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

function decisionText(approval: Approval): string {
  const { kind, status, decision_reason: reason } = approval
  const name = nameOf(approval)
  if (kind !== 'question' && status === 'denied' && name !== null && (reason ?? '') !== '')
    return t('approval.denied_by_because', { name, reason: reason ?? '' })
  if (kind === 'question' || status === 'approved' || status === 'denied') return decisionInShort(approval)
  return t(`approval_status_text.${status}`)
}

/** What was decided and by whom, without the reason. */
export function decisionInShort(approval: Decided): string {
  const { kind, status } = approval
  const name = nameOf(approval)
  if (kind === 'question') {
    const said = t(`question_status.${status}`)
    return name === null ? said : `${said} ${t('approval.by', { name })}`
  }
  if (name !== null && status === 'approved') return t('approval.approved_by', { name })
  if (name !== null && status === 'denied') return t('approval.denied_by', { name })
  return t(`approval_status.${status}`)
}

function nameOf({ decided_by_name: called, decided_by: username }: Decided): string | null {
  return called ?? username
}
