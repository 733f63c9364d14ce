import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ArgumentField } from '../arguments/argument-fields.ts'
import { Button } from '../parts/controls/button.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { t } from '../text/i18n.ts'
import { paramFor, suits } from './param-for-field.ts'
import { type ParamFields, toParam } from './param-kinds.ts'
import { paramOf } from '../../contract/parameter-reference.ts'
import { referenceTo } from './references.ts'
import { ValueSource } from './value-source.tsx'

interface StepListProps {
  readonly tool: string
  readonly field: ArgumentField
  /** Texts, and parameters in place of one. */
  readonly items: readonly unknown[]
  readonly params: readonly ParamFields[]
  /** There is no room for another parameter. */
  readonly full: boolean
  onChange(items: readonly unknown[]): void
  onFresh(param: ParamFields): void
}

/** Whether a list can be edited item by item: texts, some of which may be parameters. */
export function isStepList({ kind, numbers }: ArgumentField, value: unknown): boolean {
  if (kind !== 'list' || numbers) return false
  return (
    value === undefined ||
    (Array.isArray(value) && value.every((item) => typeof item === 'string' || paramOf(item) !== null))
  )
}

/** A list of a step: each item is a text or a parameter, such as one word of a command. */
export function StepList({ tool, field, items, params, full, onChange, onFresh }: StepListProps) {
  const [added, setAdded] = useState(false)
  const { title, required, description } = field
  const single = itemOf(field)
  const label = required ? t('tool_form.required_label', { name: title }) : title
  return (
    <fieldset className="space-y-2">
      <legend className="font-medium">{label}</legend>
      {description !== '' && <p className="text-muted text-sm">{description}</p>}
      {items.map((item, at) => {
        const name = t('modules.list_item', { name: title, number: at + 1 })
        const param = paramOf(item)
        const set = (next: unknown): void => onChange(items.with(at, next))
        return (
          <div key={at} className="flex items-start gap-2">
            <div className="min-w-0 flex-1 space-y-1">
              {typeof item === 'string' && (
                <TextField
                  label={name}
                  hideLabel
                  value={item}
                  onChange={set}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  autoFocus={added && at === items.length - 1}
                />
              )}
              <ValueSource
                title={name}
                param={param}
                params={params.filter((one) => one.name === param || suits(single, toParam(one)))}
                fresh={param === null && !full ? paramFor(tool, single, item, params) : null}
                onParam={(next) => set(next === null ? '' : referenceTo(next))}
                onFresh={(fresh) => {
                  set(referenceTo(fresh.name))
                  onFresh(fresh)
                }}
              />
            </div>
            <IconButton
              label={t('modules.list_remove', { name: title, number: at + 1 })}
              icon={Trash2}
              onClick={() => onChange(items.toSpliced(at, 1))}
            />
          </div>
        )
      })}
      <Button
        size="sm"
        icon={Plus}
        onClick={() => {
          setAdded(true)
          onChange([...items, ''])
        }}
      >
        {t('modules.list_add')}
        <span className="sr-only"> {title}</span>
      </Button>
    </fieldset>
  )
}

/** One item as if it were an argument of its own. */
function itemOf(field: ArgumentField): ArgumentField {
  const schema = (field.schema['items'] ?? {}) as Readonly<Record<string, unknown>>
  const values: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : []
  return { ...field, kind: values.length > 0 ? 'choice' : 'text', schema, values, choices: values.map(String) }
}
