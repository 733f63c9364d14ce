import { useId } from 'react'
import { ENGINE_PRESETS, type EnginePreset } from '../../../contract/engine-presets.ts'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'

interface PresetChoiceProps {
  readonly chosen: EnginePreset | null
  onChoose(preset: EnginePreset): void
}

/** Commonly used providers, those on the user's own machines first. */
export function PresetChoice({ chosen, onChoose }: PresetChoiceProps) {
  return (
    <div className="space-y-3">
      <Group
        title={t('engine.presets_local')}
        presets={ENGINE_PRESETS.filter(({ local }) => local)}
        {...{ chosen, onChoose }}
      />
      <Group
        title={t('engine.presets_hosted')}
        presets={ENGINE_PRESETS.filter(({ local }) => !local)}
        {...{ chosen, onChoose }}
      />
    </div>
  )
}

function Group({
  title,
  presets,
  chosen,
  onChoose,
}: PresetChoiceProps & { readonly title: string; readonly presets: readonly EnginePreset[] }) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id}>
      <p id={id} className="text-muted mb-1.5 text-sm">
        {title}
      </p>
      <div className="flex flex-wrap gap-2">
        {presets.map((preset) => (
          <button
            key={preset.id}
            type="button"
            aria-pressed={preset === chosen}
            onClick={() => onChoose(preset)}
            className={classNames(
              'h-9 rounded-md border px-3 font-medium transition-colors duration-100',
              preset === chosen
                ? 'border-accent bg-accent-soft text-accent'
                : 'border-line-strong/60 bg-surface hover:bg-hover shadow-sm',
            )}
          >
            {preset.name}
          </button>
        ))}
      </div>
    </div>
  )
}
