import { useMemo, useState } from 'react'
import { argumentFields } from './argument-fields.ts'
import { ArgumentInput } from './argument-input.tsx'
import { argumentProblem } from './argument-problem.ts'
import { argumentsFrom, valuesOf } from './argument-values.ts'
import { Button } from '../../../parts/controls/button.tsx'
import { TextArea } from '../../../parts/controls/text-area.tsx'
import { t } from '../../../text/i18n.ts'

type Arguments = Readonly<Record<string, unknown>>

interface ArgumentsFormProps {
  /** `<module>.<tool>`. */
  readonly tool: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly label: string
  /** What it begins with. */
  readonly value: Arguments
  /** Null while something is wrong. */
  onChange(args: Arguments | null): void
}

/** Arguments of a tool for a question about it: as a form, or as JSON where that cannot show them. */
export function ArgumentsForm({ tool, schema, label, value, onChange }: ArgumentsFormProps) {
  const fields = useMemo(() => argumentFields(schema), [schema])
  const [values, setValues] = useState(() => (fields.length === 0 ? null : valuesOf(fields, value)))
  const [text, setText] = useState(() => (Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2)))
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const read = readObject(text)
  if (values === null)
    return (
      <div className="space-y-2">
        <TextArea
          label={label}
          hint={t('tool_form.json_hint')}
          rows={4}
          spellCheck={false}
          value={text}
          error={read === null ? t('explain.bad_arguments') : null}
          onChange={(next) => {
            setText(next)
            onChange(readObject(next))
          }}
          className="[&_textarea]:font-mono [&_textarea]:text-sm"
        />
        {fields.length > 0 && read !== null && valuesOf(fields, read) !== null && (
          <Button size="sm" variant="ghost" onClick={() => setValues(valuesOf(fields, read))}>
            {t('tool_form.as_form')}
          </Button>
        )}
      </div>
    )
  return (
    <div role="group" aria-label={label} className="space-y-3">
      <div className="grid gap-3 sm:grid-cols-2">
        {fields.map((field) => (
          <ArgumentInput
            key={field.name}
            tool={tool}
            // An example may leave out what a call needs.
            field={{ ...field, required: false }}
            value={values[field.name] ?? ''}
            error={
              left.has(field.name) ? argumentProblem({ ...field, required: false }, values[field.name] ?? '') : null
            }
            disabled={false}
            onChange={(next) => {
              const all = { ...values, [field.name]: next }
              setValues(all)
              onChange(argumentsFrom(fields, all))
            }}
            onLeave={() => setLeft((before) => new Set([...before, field.name]))}
          />
        ))}
      </div>
      <Button
        size="sm"
        variant="ghost"
        onClick={() => {
          setText(JSON.stringify(argumentsFrom(fields, values) ?? {}, null, 2))
          setValues(null)
        }}
      >
        {t('tool_form.as_text')}
      </Button>
    </div>
  )
}

/** A JSON object that was typed; null when it is none. */
function readObject(text: string): Arguments | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Arguments) : null
  } catch {
    return null
  }
}
