import { useNavigate } from '@tanstack/react-router'
import { Ban, Download, Ellipsis, FilePlus2, Pencil, Play, Send, Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { ProcedureDetail, ProcedureVersion } from '../../contract/procedure-values.ts'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../parts/controls/menu.tsx'
import { ConfirmDialog } from '../parts/layout/confirm-dialog.tsx'
import { t } from '../text/i18n.ts'
import { saveProcedureFile } from './procedure-file.ts'
import { RunForm } from './run-form.tsx'
import { useProcedureChange } from './use-procedure-change.ts'

interface ProcedureActionsProps {
  readonly detail: ProcedureDetail
  /** The one that is shown. */
  readonly version: ProcedureVersion
  onEdit(): void
}

/** What the reader may do with a procedure: what is next as buttons, the rest in a menu. */
export function ProcedureActions({ detail, version, onEdit }: ProcedureActionsProps) {
  const [asking, setAsking] = useState<'run' | 'withdraw' | 'delete' | null>(null)
  const navigate = useNavigate()
  const change = useProcedureChange({ told: true })
  const { procedure, versions } = detail
  const { procedure_id, may, current_version } = procedure
  const newest = versions[0]!
  const params = { procedure_id }
  const current = versions.find((one) => one.version === current_version)
  const isDraft = newest.state === 'draft'
  const seen = { version: newest.version, content_hash: newest.content_hash }
  const submit = (): void =>
    change.mutate({
      run: () => call('POST /api/procedures/{procedure_id}/submit', { params, body: seen }),
      done: t('procedures.submitted'),
    })
  const begin = (): void =>
    change.mutate({
      run: () => call('POST /api/procedures/{procedure_id}/draft', { params }),
      after: onEdit,
    })
  const withdraw = (note = ''): void =>
    change.mutate({
      run: () =>
        call('POST /api/procedures/{procedure_id}/withdraw', { params, body: { version: version.version, note } }),
      done: t(version.state === 'in_review' ? 'procedures.taken_back' : 'procedures.withdrawn'),
    })
  const remove = (): void =>
    change.mutate({
      run: () => call('DELETE /api/procedures/{procedure_id}/draft', { params }),
      after: () => {
        if (versions.length === 1) void navigate({ to: '/procedures' })
      },
    })
  const entries: MenuEntry[] = [
    {
      label: t('procedures.export'),
      icon: Download,
      onSelect: () => change.mutate({ run: () => saveProcedureFile(procedure, version.version) }),
    },
    ...(may.edit && !isDraft ? [{ label: t('procedures.new_version'), icon: FilePlus2, onSelect: begin }] : []),
    ...(may.withdraw && version.state === 'in_review'
      ? [{ label: t('procedures.take_back'), icon: Undo2, onSelect: () => withdraw() }]
      : []),
    ...(may.withdraw && version.state === 'reviewed'
      ? [{ label: t('procedures.withdraw'), icon: Ban, danger: true, onSelect: () => setAsking('withdraw') }]
      : []),
    ...(may.edit && isDraft
      ? [{ label: t('procedures.delete_draft'), icon: Trash2, danger: true, onSelect: () => setAsking('delete') }]
      : []),
  ]
  return (
    <div className="flex flex-wrap items-center gap-2">
      {may.edit && isDraft && (
        <>
          <Button icon={Pencil} onClick={onEdit}>
            {t('procedures.edit')}
          </Button>
          <Button
            variant="primary"
            icon={Send}
            busy={change.isPending}
            disabled={detail.problems.length > 0}
            onClick={submit}
          >
            {t('procedures.submit')}
          </Button>
        </>
      )}
      {may.run && current !== undefined && (
        <Button variant={isDraft ? 'secondary' : 'primary'} icon={Play} onClick={() => setAsking('run')}>
          {t('procedures.run')}
        </Button>
      )}
      <Menu align="end" trigger={<IconButton label={t('procedures.more')} icon={Ellipsis} />} entries={entries} />
      {asking === 'run' && current !== undefined && (
        <RunForm detail={detail} version={current} onClose={() => setAsking(null)} />
      )}
      {asking === 'withdraw' && (
        <ConfirmDialog
          title={t('procedures.withdraw_title', { version: version.version })}
          text={t('procedures.withdraw_text')}
          verb={t('procedures.withdraw')}
          danger
          onConfirm={() => withdraw()}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'delete' && (
        <ConfirmDialog
          title={t('procedures.delete_draft')}
          text={t('procedures.delete_text')}
          verb={t('action.delete')}
          danger
          onConfirm={remove}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  )
}
