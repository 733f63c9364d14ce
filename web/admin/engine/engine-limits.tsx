import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../text/i18n.ts'
import { TextField } from '../../parts/controls/text-field.tsx'
import type { EngineFault, EngineDraft } from './engine-draft.ts'

interface EngineLimitsProps {
  readonly draft: EngineDraft
  readonly faults: ReadonlySet<EngineFault>
  onChange(change: Partial<EngineDraft>): void
}

const FAULTS = ['context', 'price', 'price_pair', 'timeout'] as const satisfies readonly EngineFault[]

/** Settings that rarely change: context window, prices, timeouts. */
export function EngineLimits({ draft, faults, onChange }: EngineLimitsProps) {
  const [opened, setOpened] = useState(false)
  const price = faults.has('price') ? t('engine.price_wrong') : faults.has('price_pair') ? t('engine.price_pair') : null
  const number = { inputMode: 'decimal', autoComplete: 'off' } as const
  return (
    <details
      className="group"
      // A fault opens it, and it stays open when that is mended.
      open={opened || FAULTS.some((one) => faults.has(one))}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary className="hover:text-ink text-muted flex w-fit cursor-pointer list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        {t('engine.more')}
      </summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
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
      </div>
    </details>
  )
}
