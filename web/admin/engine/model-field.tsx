import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { connectionOf, type EngineDraft } from './engine-draft.ts'

interface ModelFieldProps {
  readonly draft: EngineDraft
  readonly error: string | null
  /** Whose stored key may be used; null: a new engine. */
  readonly engineId: string | null
  readonly disabled: boolean
  onChange(model: string): void
}

/** The name of the model, with those that the provider lists as suggestions. */
export function ModelField({ draft, error, engineId, disabled, onChange }: ModelFieldProps) {
  const list = useId()
  const connection = connectionOf(draft)
  const models = useMutation({
    mutationFn: () => call('POST /api/admin/ai/models', { body: { ...connection, engine_id: engineId } }),
  })
  const found = models.data?.items ?? []
  return (
    <div>
      <div className="flex items-end gap-2">
        <TextField
          label={t('engine.model')}
          value={draft.model}
          onChange={onChange}
          list={found.length > 0 ? list : undefined}
          spellCheck={false}
          autoComplete="off"
          className="min-w-0 flex-1 [&_input]:font-mono"
        />
        <Button busy={models.isPending} disabled={disabled} onClick={() => models.mutate()}>
          {t('engine.models_load')}
        </Button>
      </div>
      <datalist id={list}>
        {found.map(({ id, name }) => (
          <option key={id} value={id}>
            {name === id ? undefined : name}
          </option>
        ))}
      </datalist>
      <div aria-live="polite" className="mt-1.5 space-y-1.5 text-sm">
        {error !== null && <p className="text-danger">{error}</p>}
        {models.isError && <p className="text-danger">{explainError(models.error)}</p>}
        {models.isSuccess && <p className="text-muted">{t('engine.models_found', { count: found.length })}</p>}
      </div>
      {found.length > 0 && (
        <ul aria-label={t('engine.models')} className="mt-1 flex max-h-40 flex-wrap gap-1.5 overflow-y-auto">
          {found
            .filter(({ id }) => id.toLowerCase().includes(draft.model.trim().toLowerCase()) || draft.model === id)
            .slice(0, 60)
            .map(({ id }) => (
              <li key={id} className="max-w-full">
                <button
                  type="button"
                  aria-pressed={draft.model === id}
                  onClick={() => onChange(id)}
                  className="border-line bg-surface hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft max-w-full truncate rounded-md border px-2 py-0.5 font-mono text-sm"
                >
                  {id}
                </button>
              </li>
            ))}
        </ul>
      )}
    </div>
  )
}
