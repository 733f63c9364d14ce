import { Fragment, type ReactNode, useState } from 'react'
import { CheckField } from '../parts/controls/check-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { t } from '../text/i18n.ts'
import type { ArgumentField } from './argument-fields.ts'
import { ArgumentInput } from './argument-input.tsx'
import { argumentProblem } from './argument-problem.ts'
import {
  argumentsOf,
  type ArgumentsDraft,
  asJson,
  fieldIn,
  inFields,
  strayFields,
  withText,
  withValue,
} from './arguments-draft.ts'

interface ArgumentsEditorProps {
  /** `<module>.<tool>`. */
  readonly tool: string
  /** Null: it is not known what the tool takes, and its arguments are JSON. */
  readonly fields: readonly ArgumentField[] | null
  readonly label: string
  /** Whichever way they are edited. */
  readonly note?: ReactNode
  /** Below the JSON. */
  readonly jsonHint?: ReactNode
  readonly draft: ArgumentsDraft
  /** All that is missing is said, and not only where somebody has been. */
  readonly checked?: boolean
  /** What the server has said about an argument; null: about any of them. */
  refused?(name: string | null): string | null
  /** Puts around the control of an argument what the page has beside it. */
  around?(field: ArgumentField, control: ReactNode): ReactNode
  onChange(draft: ArgumentsDraft): void
}

/** Arguments of a tool as a form by its schema, or as JSON: by choice, and where the form does not know the tool. */
export function ArgumentsEditor(props: ArgumentsEditorProps) {
  const { fields, label, note, draft, onChange } = props
  const text = draft.json ?? (fields === null ? (asJson(draft).json ?? '') : null)
  const isObject = text === null || argumentsOf({ ...draft, json: text }) !== null
  return (
    <div role="group" aria-label={label} className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p aria-hidden className="font-medium">
          {label}
        </p>
        {fields !== null && (
          <CheckField
            label={t('tool_form.json_hint')}
            checked={text !== null}
            // A form has no place for half of a JSON text.
            disabled={!isObject}
            onChange={(json) => onChange(json ? asJson(draft) : (inFields(draft) ?? draft))}
          />
        )}
      </div>
      {note !== undefined && <p className="text-muted text-sm">{note}</p>}
      {text === null ? (
        <Fields {...props} fields={fields ?? []} />
      ) : (
        <TextArea
          label={t('arguments.json', { name: label })}
          hideLabel
          hint={props.jsonHint}
          rows={Math.min(12, text.split('\n').length + 1)}
          spellCheck={false}
          autoCapitalize="none"
          value={text}
          error={isObject ? (props.refused?.(null) ?? null) : t('arguments.not_object')}
          onChange={(json) => onChange({ ...draft, json })}
          className="[&_textarea]:font-mono [&_textarea]:text-sm"
        />
      )}
    </div>
  )
}

function Fields({
  tool,
  fields,
  draft,
  checked = false,
  refused,
  around,
  onChange,
}: ArgumentsEditorProps & { readonly fields: readonly ArgumentField[] }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const strays = strayFields(draft, fields)
  if (fields.length + strays.length === 0) return <p className="text-muted text-sm">{t('arguments.none')}</p>
  const control = (field: ArgumentField, onLeftEmpty?: () => void): ReactNode => {
    const { name } = field
    const { field: shown, text } = fieldIn(draft, field)
    // Not while it is typed, and what is missing not before somebody has passed by; what came wrong is said at once.
    const known = checked || left.has(name) || (draft.typed[name] === undefined && text !== '')
    return (
      <ArgumentInput
        tool={tool}
        field={shown}
        value={text}
        error={(known ? argumentProblem(shown, text) : null) ?? refused?.(name) ?? null}
        disabled={false}
        onChange={(next) => onChange(withText(draft, field, next))}
        onLeave={() => (text === '' && onLeftEmpty ? onLeftEmpty() : setLeft((before) => new Set([...before, name])))}
      />
    )
  }
  return (
    <div className="grid items-start gap-x-3 gap-y-4 sm:grid-cols-2">
      {fields.map((field) => (
        <Fragment key={field.name}>{around === undefined ? control(field) : around(field, control(field))}</Fragment>
      ))}
      {strays.map((field) => (
        <Fragment key={field.name}>
          {control({ ...field, description: t('arguments.stray') }, () => onChange(withValue(draft, field, undefined)))}
        </Fragment>
      ))}
    </div>
  )
}
