import { Ban, ChevronRight, CircleCheck, OctagonAlert, type LucideIcon } from 'lucide-react'
import { pathOf } from '../../client/api.ts'
import { formatDateTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'
import { AuditDetails } from './audit-details.tsx'
import { type AuditEntry, type AuditSearch } from './audit-query.ts'
import { AuditSentence, ConversationLink } from './audit-sentence.tsx'

const OUTCOME: Record<AuditEntry['outcome'], { tone: Tone; icon: LucideIcon }> = {
  ok: { tone: 'ok', icon: CircleCheck },
  refused: { tone: 'warn', icon: Ban },
  failed: { tone: 'danger', icon: OctagonAlert },
}

interface AuditRowProps {
  readonly entry: AuditEntry
  readonly search: AuditSearch
  onSearch(search: AuditSearch): void
}

/** One entry on a line; everything that was recorded is one click away. */
export function AuditRow({ entry, search, onSearch }: AuditRowProps) {
  const { actor_id: actorId, target } = entry
  return (
    <li>
      <details className="group">
        <summary className="hover:bg-hover flex list-none items-start gap-2.5 px-3 py-1.5 focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden
            className="text-muted mt-0.5 size-4 shrink-0 transition-transform group-open:rotate-90"
          />
          <span className="grid min-w-0 flex-1 gap-x-4 gap-y-0.5 md:grid-cols-[11rem_1fr_auto]">
            <time dateTime={entry.at} className="text-muted tabular text-sm md:pt-px">
              {formatDateTime(entry.at)}
            </time>
            <span className="min-w-0 break-words [overflow-wrap:anywhere]">
              <AuditSentence entry={entry} />
            </span>
            <Status
              {...OUTCOME[entry.outcome]}
              label={t(`audit.outcome_${entry.outcome}`)}
              iconOnly={entry.outcome === 'ok'}
              // On a phone it would have a line of its own.
              className={entry.outcome === 'ok' ? 'max-md:hidden' : ''}
            />
          </span>
        </summary>
        <div className="space-y-3 px-4 pt-1 pb-4 sm:pl-10">
          <AuditDetails entry={entry} />
          <div className="flex flex-wrap items-center gap-2">
            {actorId !== null && search.user !== actorId && (
              <Button size="sm" onClick={() => onSearch({ ...search, user: actorId })}>
                {t('audit.only_by', { name: entry.actor_display_name ?? entry.actor })}
              </Button>
            )}
            {target !== '' && search.target !== target && (
              <Button size="sm" onClick={() => onSearch({ ...search, target })}>
                {t('audit.only_about')}
              </Button>
            )}
            <ConversationLink entry={entry} />
            {entry.audit_id !== null && hasReceipt(entry) && (
              <a
                href={pathOf('/api/admin/audit/{audit_id}/receipt', { audit_id: String(entry.audit_id) })}
                download
                className="text-accent text-sm font-medium whitespace-nowrap underline-offset-2 hover:underline"
              >
                {t('receipt.download')}
              </a>
            )}
          </div>
        </div>
      </details>
    </li>
  )
}

/** Whether an approval stands behind the entry: it is about one, or about a call that one allowed. */
function hasReceipt({ action, details }: AuditEntry): boolean {
  if (/^(approval|question)\./.test(action)) return true
  const by = details['approved_by'] as { for_conversation?: boolean } | undefined
  return action === 'tool.called' && by !== undefined && by.for_conversation !== true
}
