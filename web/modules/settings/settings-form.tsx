import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useRef, useState } from 'react'
import type { ModuleSettings, SettingField } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { UnsavedChanges } from '../../parts/layout/unsaved-changes.tsx'
import { fieldErrors } from '../../client/field-errors.ts'
import { moduleSettingsQuery } from '../list/module-queries.ts'
import { SettingControl } from './setting-control.tsx'
import { draftFault, settingsRequest, withDraft, type SettingDraft, type Drafts } from './settings-draft.ts'

interface SettingsFormProps {
  readonly name: string
  readonly settings: ModuleSettings
}

/** The form described by a module's fields. Only changes are sent; leaving with unsaved changes asks first. */
export function SettingsForm({ name, settings }: SettingsFormProps) {
  const { fields, values } = settings
  const [drafts, setDrafts] = useState<Drafts>(new Map())
  const [checked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const queryClient = useQueryClient()
  const dirty = drafts.size > 0
  const save = useMutation({
    mutationFn: () =>
      call('PUT /api/modules/{module_name}/settings', {
        params: { module_name: name },
        body: settingsRequest(fields, drafts),
      }),
    onSuccess: ({ settings: saved, restart_required: restart }) => {
      queryClient.setQueryData(moduleSettingsQuery(name).queryKey, saved)
      setDrafts(new Map())
      setChecked(false)
      const text = t(restart ? 'modules.settings_saved_restart' : 'modules.settings_saved')
      toast({ text, tone: 'ok' })
      announce(text)
    },
    onError: () => focusFirstWrong(form.current),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['modules'] }),
  })
  const refused = fieldErrors(save.error, ['values', 'clear_fields'])
  const placed = refused.size > 0 && [...refused.keys()].every((key) => fields.some((field) => field.key === key))
  const problemOf = (field: SettingField): string | null => {
    const draft = drafts.get(field.key)
    const fault = draft === undefined ? null : draftFault(field, draft)
    if (fault !== null && (checked || fault !== 'required'))
      return t(`modules.fault_${fault}`, { min: field.min ?? 0, max: field.max ?? 0 })
    return refused.get(field.key) ?? null
  }
  const change = (field: SettingField) => (draft: SettingDraft | null) => {
    setDrafts(withDraft(drafts, field, values[field.key], draft))
    if (save.isError) save.reset()
  }
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!dirty || save.isPending) return
    setChecked(true)
    const faulty = fields.some((field) => {
      const draft = drafts.get(field.key)
      return draft !== undefined && draftFault(field, draft) !== null
    })
    if (faulty) focusFirstWrong(form.current)
    else save.mutate()
  }
  const groups = [...new Set(fields.map(({ group }) => group ?? ''))]
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="max-w-2xl space-y-8">
      {save.isError && !placed && <ErrorNotice title={t('modules.settings_not_saved')} error={save.error} />}
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group === '' ? t('modules.settings') : group} className="space-y-5">
          {group !== '' && <h2 className="border-line border-b pb-1.5 font-semibold break-words">{group}</h2>}
          {fields
            .filter((field) => (field.group ?? '') === group)
            .map((field) => (
              <SettingControl
                key={field.key}
                field={field}
                stored={values[field.key]}
                draft={drafts.get(field.key)}
                error={problemOf(field)}
                onChange={change(field)}
              />
            ))}
        </div>
      ))}
      <div className="bg-canvas/90 border-line sticky bottom-0 flex flex-wrap items-center gap-3 border-t py-3 backdrop-blur">
        <Button type="submit" variant="primary" busy={save.isPending} disabled={!dirty}>
          {t('action.save')}
        </Button>
        {dirty && (
          <>
            <Button
              onClick={() => {
                setDrafts(new Map())
                setChecked(false)
                save.reset()
              }}
            >
              {t('action.discard')}
            </Button>
            <span className="text-muted text-sm">{t('modules.unsaved', { count: drafts.size })}</span>
          </>
        )}
      </div>
      <UnsavedChanges dirty={dirty} />
    </form>
  )
}

/** Waits until the errors are rendered. */
function focusFirstWrong(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    const wrong = form?.querySelector('[aria-invalid=true]')
    if (wrong instanceof HTMLElement) wrong.focus()
  })
}
