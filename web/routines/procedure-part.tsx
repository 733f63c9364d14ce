import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ProcedureVersion } from '../../contract/procedure-values.ts'
import type { ProcedureWork } from '../../contract/routine-values.ts'
import { Button } from '../parts/controls/button.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { procedureQuery } from '../procedures/procedures-query.ts'
import { openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { type ScopedWork, versionOf, withNewest } from './procedure-work.ts'
import type { Routine } from './routines-query.ts'

/** Which procedure a routine runs, in which version and with what; and that there is a newer one. */
export function ProcedurePart({ routine, work }: { readonly routine: Routine; readonly work: ProcedureWork }) {
  const { data: detail } = useQuery(procedureQuery(work.procedure_id))
  const version = versionOf(detail, work)
  const newer = withNewest(detail, { work, scope: routine.scope })
  return (
    <div className="space-y-3">
      <Panel className="space-y-1.5 px-4 py-3">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <Link
            to="/procedures/$id"
            params={{ id: work.procedure_id }}
            search={{ version: work.version }}
            className="font-medium break-words underline underline-offset-2"
          >
            {routine.title || t('procedures.gone')}
          </Link>
          <span className="text-muted text-sm">{t('procedures.version', { version: work.version })}</span>
        </p>
        <ProcedureValues work={work} version={version} />
      </Panel>
      {detail !== undefined && version?.state !== 'reviewed' && (
        <Notice tone="warn">{t('routines.version_gone', { version: work.version })}</Notice>
      )}
      <NewerVersion
        newer={newer}
        onUse={({ work: procedure, scope }) => openOverlay({ kind: 'edit_routine', routine, procedure, scope })}
      />
    </div>
  )
}

/** Offers a version that was reviewed since. */
export function NewerVersion({ newer, onUse }: { readonly newer: ScopedWork | null; onUse(newer: ScopedWork): void }) {
  if (newer === null) return null
  const { version } = newer.work
  return (
    <Notice
      tone="info"
      actions={
        <Button size="sm" onClick={() => onUse(newer)}>
          {t('routines.use_version', { version })}
        </Button>
      }
    >
      {t('routines.newer_version', { version })}
    </Notice>
  )
}

/** Values by the titles of their parameters; by name while these are not known. */
export function ProcedureValues({
  work: { values },
  version,
}: {
  readonly work: ProcedureWork
  readonly version?: ProcedureVersion | undefined
}) {
  const shown = Object.entries(values)
  if (shown.length === 0) return null
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
      {shown.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{version?.params.find((param) => param.name === name)?.title ?? name}</dt>
          <dd className="min-w-0 break-words">{valueText(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
