import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { moduleQuery, modulesQuery } from '../../modules/list/module-queries.ts'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { liveRunsQuery, switchesQuery } from './runs-query.ts'

/** What to switch off. A null module is still to be chosen; a null tool means all tools of the module. */
export interface SwitchTarget {
  readonly module: string | null
  readonly tool: string | null
}

/** Switches off a tool, or all tools of a module, for all users, with a reason shown to users who are refused. */
export function SwitchDialog({ target, onClose }: { readonly target: SwitchTarget; onClose(): void }) {
  const [module, setModule] = useState(target.module ?? '')
  const [tool, setTool] = useState(target.tool ?? '*')
  const [reason, setReason] = useState('')
  const queryClient = useQueryClient()
  const modules = useQuery(modulesQuery)
  const one = useQuery({ ...moduleQuery(module), enabled: module !== '' })
  const save = useMutation({
    mutationFn: () =>
      call('PUT /api/admin/switches', {
        body: { subject: `tool:${module}.${tool}`, off: true, reason: reason.trim() },
      }),
    onSuccess: ({ items }) => {
      queryClient.setQueryData(switchesQuery.queryKey, items)
      toast({ text: t('switches.off_now'), tone: 'ok' })
      for (const key of ['tools', 'dashboard', ...liveRunsQuery.queryKey])
        void queryClient.invalidateQueries({ queryKey: [key] })
      onClose()
    },
  })
  const onSubmit = (): void => {
    if (module !== '' && !save.isPending) save.mutate()
  }
  const names = new Set((one.data?.tools ?? []).map(({ name }) => name))
  if (tool !== '*') names.add(tool)
  const choices = (modules.data ?? []).map(({ name, display_name }) => ({ value: name, label: display_name }))
  if (target.module !== null && !choices.some(({ value }) => value === target.module))
    choices.push({ value: target.module, label: target.module })
  return (
    <FormDialog
      title={t('switches.dialog_title')}
      description={t('switches.dialog_text')}
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t('switches.switch_off')}
      danger
      busy={save.isPending}
      disabled={module === ''}
    >
      {save.isError && <ErrorNotice title={t('switches.failed')} error={save.error} />}
      {modules.isError && (
        <ErrorNotice title={t('modules.load_failed')} error={modules.error} onRetry={() => void modules.refetch()} />
      )}
      <SelectField
        label={t('switches.which_module')}
        value={module}
        onChange={(name) => {
          setModule(name)
          setTool('*')
        }}
        options={[{ value: '', label: t('switches.choose') }, ...choices]}
      />
      <SelectField
        label={t('switches.which_tool')}
        value={tool}
        onChange={setTool}
        disabled={module === ''}
        options={[
          { value: '*', label: t('switches.all_tools') },
          ...[...names].map((name) => ({ value: name, label: name })),
        ]}
      />
      <TextField
        label={t('switches.reason')}
        value={reason}
        onChange={setReason}
        maxLength={300}
        hint={t('switches.reason_hint')}
        autoComplete="off"
      />
    </FormDialog>
  )
}
