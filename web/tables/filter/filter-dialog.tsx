import { useState, type FormEvent } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { needsValue, operatorsFor, readFilter, valueText } from './filter-form.ts'
import type { GridColumn } from '../grid/grid-source.ts'
import { isNumeric } from '../grid/grid-source.ts'
import type { FilterOp, TableFilter } from '../grid-view.ts'

interface FilterDialogProps {
  readonly columns: readonly GridColumn[]
  /** The filter being edited, or just the column of a new one. */
  readonly from: Partial<TableFilter>
  onApply(filter: TableFilter): void
  onClose(): void
}

/** Edits one filter: column, operator by the column's type, value. */
export function FilterDialog({ columns, from, onApply, onClose }: FilterDialogProps) {
  const [key, setKey] = useState(from.column ?? columns[0]?.key ?? '')
  const [op, setOp] = useState<FilterOp | null>(from.op ?? null)
  const [text, setText] = useState(valueText(from.value))
  const [wrong, setWrong] = useState(false)
  const column = columns.find((one) => one.key === key)
  if (column === undefined) return null
  const operators = operatorsFor(column)
  const chosen = op !== null && operators.includes(op) ? op : operators[0]!
  const truth = column.type === 'boolean'
  const written = truth && text !== 'false' ? 'true' : text
  const apply = (event: FormEvent): void => {
    event.preventDefault()
    // In React's tree, a dialog's form is inside whatever opened the dialog.
    event.stopPropagation()
    const filter = readFilter({ column: key, op: chosen, text: written }, column)
    setWrong(filter === null)
    if (filter === null) return
    onApply(filter)
    onClose()
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('tables.filter')} size="sm">
      <form onSubmit={apply} className="space-y-4" noValidate>
        <SelectField
          label={t('tables.filter_column')}
          value={key}
          onChange={(next) => {
            setKey(next)
            setWrong(false)
          }}
          options={columns.map((one) => ({ value: one.key, label: one.label }))}
        />
        <SelectField
          label={t('tables.filter_operator')}
          value={chosen}
          onChange={(next) => setOp(next as FilterOp)}
          options={operators.map((one) => ({ value: one, label: t(`tables.op_${one}`) }))}
        />
        {!needsValue(chosen) ? null : truth ? (
          <SelectField
            label={t('tables.filter_value')}
            value={written}
            onChange={setText}
            options={['true', 'false'].map((one) => ({
              value: one,
              label: t(one === 'true' ? 'tables.yes' : 'tables.no'),
            }))}
          />
        ) : (
          <TextField
            label={t('tables.filter_value')}
            value={text}
            autoFocus
            onChange={(next) => {
              setText(next)
              setWrong(false)
            }}
            inputMode={isNumeric(column) && chosen !== 'in' ? 'decimal' : undefined}
            type={column.type === 'date' && chosen !== 'in' ? 'date' : 'text'}
            hint={chosen === 'in' ? t('tables.filter_list_hint') : undefined}
            error={
              wrong
                ? t(
                    isNumeric(column)
                      ? 'tables.filter_number'
                      : column.type === 'text'
                        ? 'tables.filter_text'
                        : 'tables.filter_date',
                  )
                : null
            }
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button variant="primary" type="submit">
            {t('tables.filter_apply')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
