import type { EngineRequest } from '../../../contract/engines.ts'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { t } from '../../text/i18n.ts'
import type { EngineDraft, EngineFault } from './engine-draft.ts'
import { EngineSection } from './engine-section.tsx'

interface EngineRequestsProps {
  readonly draft: EngineDraft
  readonly faults: ReadonlySet<EngineFault>
  onChange(change: Partial<EngineDraft>): void
}

const EFFORTS = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
] as const satisfies readonly EngineRequest['effort'][]
const FAULTS = ['headers', 'query', 'max_output'] as const

/** How requests to the engine are made, where it wants something unusual. */
export function EngineRequests({ draft, faults, onChange }: EngineRequestsProps) {
  return (
    <EngineSection title={t('engine.requests')} faulty={FAULTS.some((one) => faults.has(one))}>
      <TextArea
        label={t('engine.headers')}
        value={draft.headers}
        onChange={(headers) => onChange({ headers })}
        hint={t('engine.headers_hint', { key: '{key}' })}
        error={faults.has('headers') ? t('engine.headers_wrong') : null}
        rows={3}
        spellCheck={false}
        placeholder="api-key: {key}"
        className="sm:col-span-2 [&_textarea]:font-mono"
      />
      <TextArea
        label={t('engine.query')}
        value={draft.query}
        onChange={(query) => onChange({ query })}
        hint={t('engine.query_hint')}
        error={faults.has('query') ? t('engine.query_wrong') : null}
        rows={2}
        spellCheck={false}
        placeholder="api-version=2024-10-21"
        className="sm:col-span-2 [&_textarea]:font-mono"
      />
      <TextField
        label={t('engine.max_output')}
        value={draft.max_output}
        onChange={(max_output) => onChange({ max_output })}
        hint={t('engine.max_output_hint')}
        error={faults.has('max_output') ? t('engine.max_output_wrong') : null}
        inputMode="numeric"
        autoComplete="off"
      />
      <SelectField
        label={t('engine.effort')}
        value={draft.effort ?? ''}
        onChange={(effort) => onChange({ effort: effort as EngineDraft['effort'] })}
        hint={t('engine.effort_hint')}
        options={[
          { value: '', label: t('engine.effort_usual') },
          ...EFFORTS.map((effort) => ({ value: effort, label: t(`engine.effort_${effort}`) })),
        ]}
      />
      {draft.provider === 'anthropic' && (
        <CheckField
          label={t('engine.cache')}
          hint={t('engine.cache_hint')}
          checked={draft.cache}
          onChange={(cache) => onChange({ cache })}
        />
      )}
      {draft.provider === 'openai-compatible' && (
        <>
          {/* Its own protocol says the tokens by itself. */}
          {!draft.ollama && (
            <CheckField
              label={t('engine.count_tokens')}
              hint={t('engine.count_tokens_hint')}
              checked={draft.count_tokens}
              onChange={(count_tokens) => onChange({ count_tokens })}
            />
          )}
          <CheckField
            label={t('engine.ollama')}
            hint={t('engine.ollama_hint')}
            checked={draft.ollama}
            onChange={(ollama) => onChange({ ollama })}
          />
        </>
      )}
    </EngineSection>
  )
}
