import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../text/i18n.ts'
import { UnsavedChanges } from '../../parts/layout/unsaved-changes.tsx'
import { modulesQuery } from '../../modules/list/module-queries.ts'
import type { Role } from '../../modules/tools/tool-rules.ts'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { DraftBar } from './draft-bar.tsx'
import type { RoleDialog } from './role-dialogs.tsx'
import { RoleMatrix } from './role-matrix.tsx'
import { SimulationDialog } from './simulation-dialog.tsx'
import { useRoleDraft } from './use-role-draft.ts'

interface RoleEditorProps {
  readonly saved: readonly Role[]
  onDialog(dialog: RoleDialog): void
}

/** The role table and its surroundings: the filter, the role shown on a phone, and unsaved changes. */
export function RoleEditor({ saved, onDialog }: RoleEditorProps) {
  const draft = useRoleDraft(saved)
  const modules = useQuery(modulesQuery)
  const [filter, setFilter] = useState('')
  const [shown, setShown] = useState<string | null>(null)
  const [simulating, setSimulating] = useState(false)
  const dirty = draft.open.length > 0
  const shownRole = saved.find(({ role_id }) => role_id === shown) ?? saved.find(({ admin }) => !admin) ?? saved[0]
  return (
    <div className="space-y-3">
      <p className="text-muted max-w-prose">{t('roles.intro')}</p>
      <div className="grid grid-cols-2 items-end gap-3 md:max-w-sm md:grid-cols-1">
        <TextField
          label={t('roles.filter')}
          type="search"
          value={filter}
          onChange={setFilter}
          autoComplete="off"
          spellCheck={false}
        />
        <SelectField
          label={t('users.role')}
          value={shownRole?.role_id ?? ''}
          onChange={setShown}
          options={saved.map(({ role_id, name }) => ({ value: role_id, label: name }))}
          className="md:hidden"
        />
      </div>
      {modules.isError && (
        <ErrorNotice title={t('modules.load_failed')} error={modules.error} onRetry={() => void modules.refetch()} />
      )}
      <RoleMatrix
        draft={draft}
        modules={modules.data ?? []}
        filter={filter}
        shown={shownRole?.role_id ?? ''}
        onDialog={onDialog}
      />
      {!dirty && draft.save.isSuccess && draft.save.data.length > 0 && (
        <Notice tone="warn" title={t('roles.unmatched', { count: draft.save.data.length })}>
          <ul>
            {draft.save.data.map((message) => (
              <li key={message} className="break-words">
                {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {(dirty || draft.save.isError) && <DraftBar draft={draft} onSimulate={() => setSimulating(true)} />}
      {simulating && (
        <SimulationDialog
          roles={draft.roles.filter(({ role_id }) => draft.open.some((change) => change.role_id === role_id))}
          onClose={() => setSimulating(false)}
        />
      )}
      <UnsavedChanges dirty={dirty} />
    </div>
  )
}
