import { useMemo, useState } from 'react'
import { argumentFields } from './argument-fields.ts'
import { type Arguments, argumentsOf, newArgumentsDraft } from './arguments-draft.ts'
import { ArgumentsEditor } from './arguments-editor.tsx'

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

/** Arguments of a tool for a question about it, which may leave out what a call needs. */
export function ArgumentsForm({ tool, schema, label, value, onChange }: ArgumentsFormProps) {
  const fields = useMemo(() => argumentFields(schema).map((field) => ({ ...field, required: false })), [schema])
  const [draft, setDraft] = useState(() => newArgumentsDraft(value))
  return (
    <ArgumentsEditor
      tool={tool}
      fields={fields.length === 0 ? null : fields}
      label={label}
      draft={draft}
      onChange={(next) => {
        setDraft(next)
        onChange(argumentsOf(next))
      }}
    />
  )
}
