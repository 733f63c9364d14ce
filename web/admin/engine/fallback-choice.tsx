import { useQuery } from '@tanstack/react-query'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { t } from '../../text/i18n.ts'
import { enginesQuery } from './engine-query.ts'

interface FallbackChoiceProps {
  /** Empty: none. */
  readonly chosen: string
  /** The engine itself; null: a new one. */
  readonly engineId: string | null
  onChange(engine_id: string): void
}

/** Which other engine answers where this one fails; nothing while there is no other. */
export function FallbackChoice({ chosen, engineId, onChange }: FallbackChoiceProps) {
  const engines = useQuery(enginesQuery).data?.items ?? []
  const others = engines.filter(({ engine_id }) => engine_id !== engineId)
  if (others.length === 0) return null
  return (
    <SelectField
      label={t('engine.fallback')}
      value={chosen}
      onChange={onChange}
      hint={t('engine.fallback_hint')}
      options={[
        { value: '', label: t('engine.fallback_none') },
        ...others.map(({ engine_id, name }) => ({ value: engine_id, label: name })),
      ]}
    />
  )
}
