import { useQuery } from '@tanstack/react-query'
import type { EngineChoice } from '../chat/composer/engine-choice.ts'
import { choiceLabel, choicesQuery } from '../chat/composer/engine-choices.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { t } from '../text/i18n.ts'

interface EngineFieldProps {
  /** Null: whatever is the default by then. */
  readonly value: EngineChoice | null
  onChange(value: EngineChoice | null): void
}

/** Which engine and model answers; nothing to choose from where there is but one. */
export function EngineField({ value, onChange }: EngineFieldProps) {
  const offered = useQuery(choicesQuery).data?.items ?? []
  const choices = offered.flatMap((option) =>
    option.models.map((model) => ({ engine_id: option.engine_id, model, label: choiceLabel(option, model) })),
  )
  if (value === null && choices.length < 2) return null
  const at = value === null ? -1 : choices.findIndex((one) => isSame(one, value))
  // What was chosen and is not offered any more stays as it is until something else is chosen.
  const gone = value !== null && at === -1
  return (
    <SelectField
      label={t('chat.run_engine')}
      value={value === null ? '' : gone ? 'gone' : String(at)}
      onChange={(next) => {
        const { engine_id, model } = choices[Number(next)] ?? {}
        onChange(next === '' || engine_id === undefined || model === undefined ? null : { engine_id, model })
      }}
      options={[
        { value: '', label: t('engine.default') },
        ...(gone ? [{ value: 'gone', label: value.model }] : []),
        ...choices.map(({ label }, index) => ({ value: String(index), label })),
      ]}
    />
  )
}

function isSame(one: EngineChoice, other: EngineChoice): boolean {
  return one.engine_id === other.engine_id && one.model === other.model
}

/** What an engine that was chosen is called; its model alone while that is not known. */
export function EngineName({ choice }: { readonly choice: EngineChoice }) {
  const option = useQuery(choicesQuery).data?.items.find(({ engine_id }) => engine_id === choice.engine_id)
  return option === undefined ? choice.model : choiceLabel(option, choice.model)
}
