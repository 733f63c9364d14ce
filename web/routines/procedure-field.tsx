import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProcedureDetail, ProcedureVersion } from '../../contract/procedure-values.ts'
import type { ProcedureWork } from '../../contract/routine-values.ts'
import { procedureQuery } from '../procedures/procedures-query.ts'
import { textsOf, ValueFields, valuesOf } from '../procedures/value-fields.tsx'
import { t } from '../text/i18n.ts'
import { NewerVersion, ProcedureValues } from './procedure-part.tsx'
import { type ScopedWork, versionOf, withNewest } from './procedure-work.ts'

interface ProcedureFieldProps {
  readonly work: ProcedureWork
  readonly scope: readonly string[]
  onChange(changed: Partial<ScopedWork>): void
}

/** Which version of a procedure runs, and with what. */
export function ProcedureField({ work, scope, onChange }: ProcedureFieldProps) {
  const { data: detail } = useQuery(procedureQuery(work.procedure_id))
  const version = versionOf(detail, work)
  return (
    <fieldset className="space-y-4">
      <legend className="mb-1 font-medium">{t('routines.procedure')}</legend>
      <p className="break-words">
        {version?.name ?? detail?.procedure.name}{' '}
        <span className="text-muted text-sm">{t('procedures.version', { version: work.version })}</span>
      </p>
      <NewerVersion newer={withNewest(detail, { work, scope })} onUse={onChange} />
      {detail === undefined || version === undefined ? (
        <ProcedureValues work={work} />
      ) : (
        <VersionFields key={version.version} detail={detail} version={version} work={work} onChange={onChange} />
      )}
    </fieldset>
  )
}

function VersionFields({
  detail: { machines },
  version: { params },
  work,
  onChange,
}: Omit<ProcedureFieldProps, 'scope'> & { readonly detail: ProcedureDetail; readonly version: ProcedureVersion }) {
  const [texts, setTexts] = useState(() => textsOf(params, machines, work.values))
  return (
    <div className="space-y-4">
      <ValueFields
        params={params}
        machines={machines}
        texts={texts}
        onChange={(next) => {
          setTexts(next)
          onChange({ work: { ...work, values: valuesOf(params, next) } })
        }}
      />
    </div>
  )
}
