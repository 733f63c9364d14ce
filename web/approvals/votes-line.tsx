import { Check, Users, X } from 'lucide-react'
import type { Approval } from '../../contract/chat.ts'
import { t } from '../text/i18n.ts'

/** Whom a card waits for, in each role, and what they have said. Nothing where the person who asks decides. */
export function VotesLine({ approval: { needs, votes } }: { readonly approval: Pick<Approval, 'needs' | 'votes'> }) {
  if (needs === undefined) return null
  return (
    <div className="border-line space-y-1 border-l-2 ps-3 text-sm">
      <p className="flex flex-wrap items-center gap-x-2">
        <Users aria-hidden className="text-muted size-4 shrink-0" />
        <span className="font-medium">{t('votes.waits')}</span>
        {needs.map(({ role_id: id, role, count, given }) => (
          <span key={id} className="tabular-nums">
            {t('votes.of_role', { given, count, role })}
          </span>
        ))}
      </p>
      {(votes ?? []).map(({ username, name, decision }) => {
        const Icon = decision === 'approve' ? Check : X
        return (
          <p key={username} title={username} className="text-muted flex items-center gap-2">
            <Icon aria-hidden className="size-4 shrink-0" />
            {t(decision === 'approve' ? 'approval.approved_by' : 'approval.denied_by', { name })}
          </p>
        )
      })}
    </div>
  )
}
