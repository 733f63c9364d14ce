import { t } from '../../text/i18n.ts'
import { SelectField } from '../../parts/controls/select-field.tsx'
import type { Reading } from './reading-query.ts'

type Types = Readonly<NonNullable<NonNullable<Reading['chosen']['sheets']>[string]['types']>>

interface ReadingTypesProps {
  readonly columns: Reading['columns']
  /** Chosen already. */
  readonly before: Types
  readonly types: Types
  onTypes(types: Types): void
}

const TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'datetime'] as const
const FOUND = ''
/** Number of columns listed; nobody scrolls through more. */
const SHOWN = 200

/** The type of each column, detected or chosen. */
export function ReadingTypes({ columns, before, types, onTypes }: ReadingTypesProps) {
  const choose = (key: string, value: string): void => {
    const { [key]: _none, ...others } = types
    const type = TYPES.find((one) => one === value)
    onTypes(type === undefined ? others : { ...others, [key]: type })
  }
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{t('tables.reading_types')}</legend>
      <div className="border-line max-h-64 space-y-3 overflow-y-auto rounded-md border p-3" tabIndex={0}>
        {columns.slice(0, SHOWN).map(({ key, label, type }) => (
          <SelectField
            key={key}
            label={label}
            value={types[key] ?? FOUND}
            onChange={(value) => choose(key, value)}
            options={[
              {
                value: FOUND,
                label:
                  before[key] === undefined
                    ? t('tables.reading_found_as', { value: t(`tables.type_${type}`) })
                    : t('tables.reading_found'),
              },
              ...TYPES.map((value) => ({ value, label: t(`tables.type_${value}`) })),
            ]}
          />
        ))}
        {columns.length > SHOWN && <p className="text-muted text-sm">{t('tables.reading_more', { count: SHOWN })}</p>}
      </div>
    </fieldset>
  )
}
