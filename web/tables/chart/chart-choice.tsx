import { ChevronDown } from 'lucide-react'
import {
  CHART_KINDS,
  CHART_SERIES_LIMIT,
  type ChartKind,
  type ChartSuggestion,
} from '../../../contract/chart-suggestion.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Menu } from '../../parts/controls/menu.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { isNumeric, type GridColumn } from '../grid/grid-source.ts'

interface ChartChoiceProps {
  readonly choice: ChartSuggestion
  readonly columns: readonly GridColumn[]
  onChange(choice: ChartSuggestion): void
}

/** Chart settings: its type, the column on the x axis, and the value columns. */
export function ChartChoice({ choice, columns, onChange }: ChartChoiceProps) {
  const axis =
    choice.kind === 'scatter'
      ? columns.filter((column) => column.type !== 'text' && column.type !== 'boolean')
      : columns
  const numbers = columns.filter(isNumeric)
  const chosenNames =
    numbers
      .filter(({ key }) => choice.y.includes(key))
      .map(({ label }) => label)
      .join(', ') || '–'
  const toggle = (key: string): void => {
    const y =
      choice.kind === 'pie'
        ? [key]
        : choice.y.includes(key)
          ? choice.y.filter((one) => one !== key)
          : [...choice.y, key]
    if (y.length > 0) onChange({ ...choice, y: y.slice(-CHART_SERIES_LIMIT) })
  }
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SelectField
        label={t('tables.chart_kind')}
        value={choice.kind}
        onChange={(kind) => onChange({ ...choice, kind: kind as ChartKind })}
        options={CHART_KINDS.map((kind) => ({ value: kind, label: t(`tables.chart_${kind}`) }))}
        className="w-36"
      />
      <SelectField
        label={t('tables.chart_x')}
        value={axis.some(({ key }) => key === choice.x) ? choice.x : ''}
        onChange={(x) => onChange({ ...choice, x })}
        options={[
          ...(axis.some(({ key }) => key === choice.x) ? [] : [{ value: '', label: '–' }]),
          ...axis.map(({ key, label }) => ({ value: key, label })),
        ]}
        className="w-44"
      />
      <div>
        <p className="mb-1.5 font-medium">{t('tables.chart_y')}</p>
        <Menu
          entries={numbers.map(({ key, label }) => ({
            label,
            checked: choice.y.includes(key),
            stays: choice.kind !== 'pie',
            onSelect: () => toggle(key),
          }))}
          trigger={
            <Button aria-label={`${t('tables.chart_y')}: ${chosenNames}`}>
              <span className="max-w-44 truncate">{chosenNames}</span>
              <ChevronDown aria-hidden className="text-muted size-4" />
            </Button>
          }
        />
      </div>
    </div>
  )
}
