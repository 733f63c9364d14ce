import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { UnsavedChanges } from '../../parts/layout/unsaved-changes.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import {
  connectionOf,
  engineDraftOf,
  type EngineDraft,
  faultsOf,
  contextOf,
  presetOf,
  engineRequestOf,
  withAddress,
  withPreset,
} from './engine-draft.ts'
import { EngineLimits } from './engine-limits.tsx'
import { engineChanged, type EngineEntry } from './engine-query.ts'
import { EngineRequests } from './engine-requests.tsx'
import { EngineTestResult } from './engine-test.tsx'
import { FallbackChoice } from './fallback-choice.tsx'
import { KeyField } from './key-field.tsx'
import { ModelField } from './model-field.tsx'
import { ModelList } from './model-list.tsx'
import { probeNewModels } from './probe-models.ts'
import { PresetChoice } from './preset-choice.tsx'
import { RoleChoice } from './role-choice.tsx'

interface EngineFormProps {
  /** Null: a new one. */
  readonly engine: EngineEntry | null
  onSaved(): void
}

/** Configures an engine: choose a provider, enter the key, choose models, test it, save it. */
export function EngineForm({ engine, onSaved }: EngineFormProps) {
  const [draft, setDraft] = useState<EngineDraft>(() => engineDraftOf(engine))
  const [checked, setChecked] = useState(false)
  const [dirty, setDirty] = useState(false)
  const [asking, setAsking] = useState(false)
  const engine_id = engine?.engine_id ?? null
  const queryClient = useQueryClient()
  const preset = presetOf(draft)
  const faults = faultsOf(draft)
  const shown = checked ? faults : new Set<never>()
  const test = useMutation({
    mutationFn: () =>
      call('POST /api/admin/ai/test', {
        body: { ...connectionOf(draft), ...contextOf(draft), engine_id, model: draft.model.trim() },
      }),
  })
  const save = useMutation({
    mutationFn: () => {
      const body = engineRequestOf(draft)
      return engine === null
        ? call('POST /api/admin/ai/engines', { body })
        : call('PUT /api/admin/ai/engines/{engine_id}', { params: { engine_id: engine.engine_id }, body })
    },
    onSuccess: async ({ engine: saved }) => {
      setDirty(false)
      await engineChanged(queryClient)
      void probeNewModels(saved, queryClient)
      toast({ text: t('engine.saved'), tone: 'ok' })
      onSaved()
    },
  })
  const change = (patch: Partial<EngineDraft>): void => {
    setDraft((before) => ({ ...before, ...patch }))
    setDirty(true)
    test.reset()
    save.reset()
  }
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    setChecked(true)
    if (faults.size > 0 || save.isPending) return
    // A provider that is only busy now says nothing against the settings.
    if (test.data?.ok === false && test.data.problem !== 'rate_limited') setAsking(true)
    else save.mutate()
  }
  const onTest = (): void => {
    setChecked(true)
    if (!faults.has('address') && !faults.has('model')) test.mutate()
  }
  return (
    <form onSubmit={onSubmit} noValidate className="space-y-5">
      <PresetChoice chosen={preset} onChoose={(chosen) => change(withPreset(draft, chosen))} />
      <Panel className="space-y-5 p-4 sm:p-5">
        <TextField
          label={t('engine.name')}
          value={draft.name}
          onChange={(name) => change({ name })}
          placeholder={draft.model}
          hint={t('engine.name_hint')}
          maxLength={80}
          autoComplete="off"
        />
        <TextField
          label={t('engine.address')}
          type="url"
          value={draft.base_url}
          onChange={(base_url) => change(withAddress(draft, base_url))}
          placeholder={
            preset !== null && preset.base_url === null ? t('engine.address_own', { name: preset.name }) : ''
          }
          hint={t(draft.provider === 'openai-compatible' ? 'engine.address_hint' : 'engine.address_hint_own')}
          error={shown.has('address') ? t('engine.address_wrong') : null}
          spellCheck={false}
          autoComplete="off"
          className="[&_input]:font-mono"
        />
        <KeyField
          stored={
            engine !== null && engine.api_key.configured && engine.provider === draft.provider ? engine.api_key : null
          }
          value={draft.api_key}
          needed={preset?.needs_key ?? draft.provider !== 'openai-compatible'}
          onChange={(api_key) => change({ api_key })}
        />
        <ModelField
          draft={draft}
          error={shown.has('model') ? t('engine.model_missing') : null}
          engineId={engine_id}
          disabled={faults.has('address')}
          onChange={(model) => change({ model })}
        />
        <ModelList value={draft.models} onChange={(models) => change({ models })} />
        <RoleChoice chosen={draft.role_ids} onChange={(role_ids) => change({ role_ids })} />
        <div className="space-y-3">
          <CheckField
            label={t('engine.default')}
            hint={t('engine.default_hint')}
            checked={draft.default}
            disabled={engine?.default === true}
            onChange={(on) => change({ default: on })}
          />
          <CheckField
            label={t('engine.naming')}
            hint={t('engine.naming_hint')}
            checked={draft.naming}
            onChange={(naming) => change({ naming })}
          />
        </div>
        <FallbackChoice
          chosen={draft.fallback_id}
          engineId={engine_id}
          onChange={(fallback_id) => change({ fallback_id })}
        />
        <EngineLimits draft={draft} faults={shown} onChange={change} />
        <EngineRequests draft={draft} faults={shown} onChange={change} />
      </Panel>
      <div aria-live="polite" className="space-y-3 empty:hidden">
        {test.isError && <ErrorNotice title={t('engine.test_failed')} error={test.error} />}
        {test.isSuccess && <EngineTestResult result={test.data} />}
        {save.isError && <ErrorNotice title={t('engine.not_saved')} error={save.error} />}
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button busy={test.isPending} onClick={onTest}>
          {t('engine.test')}
        </Button>
        <Button type="submit" variant="primary" busy={save.isPending}>
          {t('action.save')}
        </Button>
      </div>
      <UnsavedChanges dirty={dirty} />
      {asking && (
        <ConfirmDialog
          title={t(test.data?.problem === 'no_tools' ? 'engine.no_tools_title' : 'engine.failed_title')}
          text={test.data?.problem === 'no_tools' ? t('engine.no_tools_text') : (test.data?.detail ?? '')}
          verb={t('engine.no_tools_save')}
          onConfirm={() => save.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </form>
  )
}
