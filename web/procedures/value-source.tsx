import { Plus } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { t } from '../text/i18n.ts'
import type { ParamFields } from './param-kinds.ts'

interface ValueSourceProps {
  /** What the value is called. */
  readonly title: string
  /** The parameter that stands in its place; null: a value of its own. */
  readonly param: string | null
  /** Those that may stand there. */
  readonly params: readonly ParamFields[]
  /** The parameter that the value could become; null: none. */
  readonly fresh: ParamFields | null
  onParam(name: string | null): void
  onFresh(param: ParamFields): void
}

/** Where a value comes from: it stands in the step, or a run gives it. */
export function ValueSource({ title, param, params, fresh, onParam, onFresh }: ValueSourceProps) {
  const place = useRef<HTMLDivElement>(null)
  const made = useRef(false)
  useEffect(() => {
    // The button is gone with what it did.
    if (made.current && param !== null) place.current?.querySelector('select')?.focus()
    made.current = false
  }, [param])
  const named = params.filter(({ name }) => name !== '')
  const asParam = ({ name, title }: { readonly name: string; readonly title: string }) => ({
    value: name,
    label: t('procedures.as_param', { name: title.trim() === '' ? name : title }),
  })
  const gone = param !== null && named.every(({ name }) => name !== param)
  if (named.length === 0 && param === null && fresh === null) return null
  return (
    <div ref={place} className="flex items-start gap-2">
      {(named.length > 0 || param !== null) && (
        <SelectField
          label={t('procedures.value_from', { name: title })}
          hideLabel
          value={param ?? ''}
          error={gone ? t('procedures.param_gone', { name: param }) : null}
          onChange={(name) => onParam(name === '' ? null : name)}
          options={[
            { value: '', label: t('procedures.own_value') },
            ...named.map(asParam),
            ...(gone ? [asParam({ name: param, title: '' })] : []),
          ]}
          // In place of the control it is one itself; beside it, small.
          className={
            param === null ? 'w-28 shrink-0 [&_select]:h-7 [&_select]:text-sm [&_svg]:top-1.5' : 'min-w-0 flex-1'
          }
        />
      )}
      {param === null && fresh !== null && (
        <Button
          size="sm"
          variant="ghost"
          icon={Plus}
          className={named.length === 0 ? '-ms-2.5' : 'shrink! text-start max-sm:h-auto max-sm:min-h-7 max-sm:px-1'}
          onClick={() => {
            made.current = true
            onFresh(fresh)
          }}
        >
          {t('procedures.param_from_value')}
          <span className="sr-only"> {title}</span>
        </Button>
      )}
    </div>
  )
}
