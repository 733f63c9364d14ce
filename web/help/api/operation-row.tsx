import { Link } from '@tanstack/react-router'
import { ChevronDown, Link2, Lock, LockOpen, ShieldCheck } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { OperationDetail } from './operation-detail.tsx'
import type { OpenApiDocument } from './openapi-document.ts'
import type { Operation } from './operations.ts'

const ACCESS_ICON = { public: LockOpen, session: Lock, admin: ShieldCheck }
const TONE: Readonly<Record<string, string>> = {
  GET: 'bg-info-soft text-info',
  POST: 'bg-ok-soft text-ok',
  PUT: 'bg-warn-soft text-warn',
  PATCH: 'bg-warn-soft text-warn',
  DELETE: 'bg-danger-soft text-danger',
}

interface OperationRowProps {
  readonly document: OpenApiDocument
  readonly operation: Operation
  readonly open: boolean
  onToggle(open: boolean): void
}

/** A route as one line that expands to its details. */
export function OperationRow({ document, operation, open, onToggle }: OperationRowProps) {
  const { id, method, path, summary, access } = operation
  const Icon = ACCESS_ICON[access]
  return (
    <li id={id} className="border-line bg-surface scroll-mt-20 rounded-lg border">
      <h3 className="flex items-center">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={`${id}-detail`}
          onClick={() => onToggle(!open)}
          className="hover:bg-hover flex min-h-11 min-w-0 flex-1 items-center gap-3 rounded-lg px-3 py-2 text-start"
        >
          <span className="flex min-w-0 flex-1 items-start gap-x-3 gap-y-1 max-sm:flex-col sm:items-center">
            <span
              className={classNames(
                'w-16 shrink-0 rounded-md py-0.5 text-center font-mono text-xs font-semibold',
                TONE[method],
              )}
            >
              {method}
            </span>
            <span className="min-w-0 flex-1">
              <code className="block text-sm break-all">{path}</code>
              <span className="text-muted block text-sm font-normal">{summary}</span>
            </span>
          </span>
          <Icon aria-hidden className="text-muted size-4 shrink-0" />
          <span className="sr-only">{t(`api.access_${access}`)}</span>
          <ChevronDown aria-hidden className={classNames('text-muted size-4 shrink-0', open && 'rotate-180')} />
        </button>
        {open && (
          <Link
            to="/help/$page"
            params={{ page: 'api' }}
            hash={id}
            aria-label={t('help.link_to', { heading: `${method} ${path}` })}
            className="text-muted hover:text-ink p-3"
          >
            <Link2 aria-hidden className="size-4" />
          </Link>
        )}
      </h3>
      {open && (
        <div id={`${id}-detail`} className="border-line border-t px-4 py-4">
          <OperationDetail document={document} operation={operation} />
        </div>
      )}
    </li>
  )
}
