import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ProcedureDetail } from '../../contract/procedure-values.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { t } from '../text/i18n.ts'
import { DraftEditor } from './draft-editor.tsx'
import { ProcedureActions } from './procedure-actions.tsx'
import { ReviewForm } from './review-form.tsx'
import { RunHistory } from './run-history.tsx'
import { VersionContent } from './version-content.tsx'
import { VersionDiff } from './version-diff.tsx'
import { VersionState } from './version-state.tsx'

interface ProcedureViewProps {
  readonly detail: ProcedureDetail
  /** From the address; null: the newest. */
  readonly shown: number | null
  readonly editing: boolean
}

/** One procedure: a version of it, what may be done with it, what has changed, and its runs. */
export function ProcedureView({ detail, shown, editing }: ProcedureViewProps) {
  const navigate = useNavigate()
  const [edited, setEdited] = useState(0)
  const { procedure, versions, problems } = detail
  const { procedure_id, may } = procedure
  const newest = versions[0]!
  const version = versions.find((one) => one.version === shown) ?? newest
  const isNewest = version === newest
  const others = versions.filter((one) => one.version < version.version)
  const edit = (on: boolean): void =>
    void navigate({
      to: '/procedures/$id',
      params: { id: procedure_id },
      search: on ? { edit: true } : {},
      replace: true,
    })
  if (editing && may.edit && newest.state === 'draft')
    return (
      <DraftEditor
        key={`${newest.content_hash} ${edited}`}
        procedureId={procedure_id}
        draft={newest}
        problems={problems}
        onDone={() => {
          setEdited(edited + 1)
          edit(false)
        }}
      />
    )
  const open = isNewest ? problems : []
  return (
    <div className="space-y-8">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-60 space-y-1">
          <VersionState state={version.state} />
          <p className="text-muted text-sm break-words">
            {version.author !== null && t('procedures.by', { name: version.author.display_name })}
            {version.reviewer !== null && ` · ${t('procedures.reviewed_by', { name: version.reviewer.display_name })}`}
          </p>
        </div>
        {versions.length > 1 && (
          <SelectField
            label={t('procedures.versions')}
            hideLabel
            value={String(version.version)}
            onChange={(value) =>
              void navigate({
                to: '/procedures/$id',
                params: { id: procedure_id },
                search: { version: Number(value) },
                replace: true,
              })
            }
            options={versions.map((one) => ({
              value: String(one.version),
              label: `${t('procedures.version', { version: one.version })} · ${t(`procedures.state_${one.state}`)}`,
            }))}
          />
        )}
        <ProcedureActions detail={detail} version={version} onEdit={() => edit(true)} />
      </div>
      {version.review_note !== '' && (
        <Notice tone={version.state === 'rejected' ? 'danger' : 'info'} title={t('procedures.review_note')}>
          <p className="whitespace-pre-line">{version.review_note}</p>
        </Notice>
      )}
      {open.length > 0 && <Notice tone="warn">{t('procedures.has_problems')}</Notice>}
      {version.version === procedure.current_version && !may.run && (
        <Notice tone="info">{t('procedures.no_rule')}</Notice>
      )}
      <VersionContent version={version} problems={open} />
      {others.length > 0 && <VersionDiff key={version.version} version={version} others={others} />}
      {isNewest && may.review && version.state === 'in_review' && (
        <ReviewForm procedureId={procedure_id} version={version} blocked={open.length > 0} />
      )}
      {versions.some(({ state }) => state === 'reviewed' || state === 'withdrawn') && (
        <RunHistory procedureId={procedure_id} />
      )}
    </div>
  )
}
