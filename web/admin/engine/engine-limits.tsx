import { t } from '../../text/i18n.ts'
import { TextField } from '../../parts/controls/text-field.tsx'
import type { EngineFault, EngineDraft } from './engine-draft.ts'
import { EngineSection } from './engine-section.tsx'

interface EngineLimitsProps {
  readonly draft: EngineDraft
  readonly faults: ReadonlySet<EngineFault>
  onChange(change: Partial<EngineDraft>): void
}

const FAULTS = ['context', 'price', 'price_pair', 'timeout'] as const satisfies readonly EngineFault[]

/** Settings that rarely change: context window, prices, timeouts. */
export function EngineLimits({ draft, faults, onChange }: EngineLimitsProps) {
  const price = faults.has('price') ? t('engine.price_wrong') : faults.has('price_pair') ? t('engine.price_pair') : null
  const number = { inputMode: 'decimal', autoComplete: 'off' } as const
  return (
    <EngineSection title={t('engine.more')} faulty={FAULTS.some((one) => faults.has(one))}>
      <TextField
        label={t('engine.context')}
        value={draft.context_tokens}
        onChange={(context_tokens) => onChange({ context_tokens })}
        hint={t('engine.context_hint')}
        error={faults.has('context') ? t('engine.context_wrong') : null}
        className="sm:col-span-2 sm:max-w-80"
        {...number}
      />
      <TextField
        label={t('engine.price_input')}
        value={draft.price_input}
        onChange={(price_input) => onChange({ price_input })}
        hint={t('engine.price_hint')}
        error={price}
        {...number}
      />
      <TextField
        label={t('engine.price_output')}
        value={draft.price_output}
        onChange={(price_output) => onChange({ price_output })}
        {...number}
      />
      <TextField
        label={t('engine.timeout')}
        value={draft.timeout}
        onChange={(timeout) => onChange({ timeout })}
        hint={t('engine.timeout_hint')}
        error={faults.has('timeout') ? t('engine.timeout_wrong') : null}
        {...number}
      />
      <TextField
        label={t('engine.idle_timeout')}
        value={draft.idle_timeout}
        onChange={(idle_timeout) => onChange({ idle_timeout })}
        {...number}
      />
    </EngineSection>
  )
}
