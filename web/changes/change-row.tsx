import { useNavigate } from '@tanstack/react-router'
import { Ban, ChevronRight, Layers, Undo2, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Status } from '../parts/feedback/status.tsx'
import { formatDateTime } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { ChangeDetails } from './change-details.tsx'
import type { Change } from './changes-query.ts'
import { useUndo } from './use-undo.ts'

const ICON: Readonly<Record<Exclude<Change['state'], 'undoable'>, LucideIcon>> = {
  undone: Undo2,
  superseded: Layers,
  final: Ban,
}

/** One change on a line: when, what, by which tool and whose call; its diff opens below. */
export function ChangeRow({ change, withPerson }: { readonly change: Change; readonly withPerson: boolean }) {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const { change_id, state, user } = change
  const undo = useUndo(change_id, ({ conversation_id: c }) => void navigate({ to: '/chat', search: { c } }))
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1 pe-3">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="hover:bg-hover flex min-h-11 min-w-0 flex-1 basis-64 items-center gap-2.5 px-3 py-1 text-start focus-visible:-outline-offset-2"
        >
          <ChevronRight
            aria-hidden
            className={`text-muted size-4 shrink-0 transition-transform ${open ? 'rotate-90' : ''}`}
          />
          <span className="grid min-w-0 flex-1 gap-x-4 md:grid-cols-[11rem_1fr]">
            <time dateTime={change.at} className="text-muted tabular text-sm md:pt-px">
              {formatDateTime(change.at)}
            </time>
            <span className="min-w-0 break-words [overflow-wrap:anywhere]">
              <span className="font-medium">{change.name}</span>{' '}
              <span className="text-muted text-sm">
                {change.title}
                {withPerson && ` · ${user.display_name || user.username}`}
              </span>
            </span>
          </span>
        </button>
        {change.may_undo ? (
          <Button size="sm" icon={Undo2} busy={undo.isPending} onClick={() => undo.mutate()} className="max-sm:ms-9">
            {t('changes.undo')}
            <span className="sr-only"> {change.name}</span>
          </Button>
        ) : (
          <span className="max-sm:ms-9">
            {state === 'undoable' ? null : (
              <Status
                tone="neutral"
                icon={ICON[state]}
                label={t(change.is_undo ? 'changes.state_undo' : `changes.state_${state}`)}
              />
            )}
          </span>
        )}
      </div>
      {undo.isError && <ErrorNotice title={t('changes.undo_failed')} error={undo.error} className="mx-3 mb-3" />}
      {open && <ChangeDetails change={change} />}
    </li>
  )
}
