import { Ban, ChevronRight, CircleCheck, OctagonAlert, type LucideIcon } from 'lucide-react'
import { formatDateTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'
import { actionLabel } from './audit-actions.ts'
import { AuditDetails } from './audit-details.tsx'
import { type AuditEntry, type AuditSearch } from './audit-query.ts'

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
  const subject = subjectOf(entry)
  return (
    <li>
      <details className="group">
        <summary className="hover:bg-hover flex list-none items-start gap-2.5 px-3 py-2.5 focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden
            className="text-muted mt-0.5 size-4 shrink-0 transition-transform group-open:rotate-90"
          />
          <span className="grid min-w-0 flex-1 gap-x-4 gap-y-0.5 md:grid-cols-[10rem_9rem_1fr_auto]">
            <time dateTime={entry.at} className="text-muted tabular text-sm md:pt-px">
              {formatDateTime(entry.at)}
            </time>
            <span className="truncate font-medium">{entry.actor === '' ? t('audit.nobody') : entry.actor}</span>
            <span className="min-w-0 break-words">
              {actionLabel(entry.action)}
              {subject !== '' && <span className="text-muted"> · {subject}</span>}
            </span>
            <Status {...OUTCOME[entry.outcome]} label={t(`audit.outcome_${entry.outcome}`)} />
          </span>
        </summary>
        <div className="space-y-3 px-4 pt-1 pb-4 sm:pl-10">
          <AuditDetails entry={entry} />
          <div className="flex flex-wrap gap-2">
            {actorId !== null && search.user !== actorId && (
              <Button size="sm" onClick={() => onSearch({ ...search, user: actorId })}>
                {t('audit.only_by', { name: entry.actor })}
              </Button>
            )}
            {target !== '' && search.target !== target && (
              <Button size="sm" onClick={() => onSearch({ ...search, target })}>
                {t('audit.only_about')}
              </Button>
            )}
          </div>
        </div>
      </details>
    </li>
  )
}

/** The target, by name where one was recorded. Omitted for users' own sign-ins, where it would repeat the actor. */
function subjectOf({ details, target, actor, actor_id: actorId }: AuditEntry): string {
  const { username, before, after } = details
  if (typeof username === 'string' && username !== actor) return username
  const named = [after, before].find((one) => typeof one === 'object' && one !== null && 'name' in one)
  if (named !== undefined) return String(named.name)
  return target === actorId || target === actor || typeof username === 'string' ? '' : target
}
