import { t } from '../../text/i18n.ts'
import { ListField } from '../../modules/settings/list-field.tsx'

interface ModelListProps {
  readonly value: readonly string[]
  onChange(models: readonly string[]): void
}

/** Further models of an engine, which users may choose instead of its default. */
export function ModelList({ value, onChange }: ModelListProps) {
  return (
    <ListField
      label={t('engine.further_models')}
      hint={t('engine.further_models_hint')}
      error={null}
      value={value}
      mono
      onChange={onChange}
    />
  )
}
