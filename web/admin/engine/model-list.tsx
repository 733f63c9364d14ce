import { t } from '../../text/i18n.ts'
import { TextArea } from '../../parts/controls/text-area.tsx'

interface ModelListProps {
  readonly value: string
  onChange(models: string): void
}

/** Further models of an engine, which users may choose instead of its default. */
export function ModelList({ value, onChange }: ModelListProps) {
  return (
    <TextArea
      label={t('engine.further_models')}
      value={value}
      onChange={onChange}
      hint={t('engine.further_models_hint')}
      rows={Math.min(6, Math.max(2, value.split('\n').length))}
      spellCheck={false}
      className="[&_textarea]:font-mono"
    />
  )
}
