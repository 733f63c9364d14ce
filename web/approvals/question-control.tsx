import type { QuestionField } from '../../contract/questions.ts'
import { t } from '../text/i18n.ts'
import { CheckField } from '../parts/controls/check-field.tsx'
import type { QuestionDraft } from './question-draft.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'

interface QuestionControlProps {
  readonly field: QuestionField
  readonly required: boolean
  readonly value: QuestionDraft[string]
  readonly error: string | null
  onChange(value: QuestionDraft[string]): void
}

const INPUT = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const
/** Fields that allow more characters get a multi-line box. */
const ONE_LINE = 200

/** The control for one value that a module asks for. All of the module's texts are rendered as plain text. */
export function QuestionControl({ field, required, value, error, onChange }: QuestionControlProps) {
  const label = required ? field.title : t('question.optional', { title: field.title })
  const hint = field.description === '' ? undefined : field.description
  switch (field.type) {
    case 'boolean':
      return <CheckField label={field.title} hint={hint} error={error} checked={value === true} onChange={onChange} />
    case 'array':
      return <Several field={field} label={label} value={value} error={error} onChange={onChange} />
    case 'number':
    case 'integer':
      return (
        <TextField
          label={label}
          hint={hint}
          error={error}
          value={String(value)}
          onChange={onChange}
          inputMode={field.type === 'integer' ? 'numeric' : 'decimal'}
          autoComplete="off"
        />
      )
    case 'string':
      if ('oneOf' in field) {
        const options = field.oneOf.map((option) => ({ value: option.const, label: option.title }))
        const none = required && value !== '' ? [] : [{ value: '', label: t('question.choose') }]
        return (
          <SelectField
            label={label}
            hint={hint}
            error={error}
            value={String(value)}
            onChange={onChange}
            options={[...none, ...options]}
          />
        )
      }
      if (field.format === undefined && field.maxLength > ONE_LINE)
        return <TextArea label={label} hint={hint} error={error} value={String(value)} onChange={onChange} rows={2} />
      return (
        <TextField
          label={label}
          hint={hint}
          error={error}
          value={String(value)}
          onChange={onChange}
          type={field.format === undefined ? 'text' : INPUT[field.format]}
          autoComplete="off"
        />
      )
  }
}

function Several({
  field,
  label,
  value,
  error,
  onChange,
}: Omit<QuestionControlProps, 'field' | 'required'> & {
  readonly field: Extract<QuestionField, { type: 'array' }>
  readonly label: string
}) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : []
  return (
    <fieldset className="space-y-1.5">
      <legend className="mb-1.5 font-medium">{label}</legend>
      {field.description !== '' && <p className="text-sm text-muted">{field.description}</p>}
      {field.items.anyOf.map((option) => (
        <CheckField
          key={option.const}
          label={option.title}
          checked={chosen.includes(option.const)}
          onChange={(checked) =>
            onChange(checked ? [...chosen, option.const] : chosen.filter((one) => one !== option.const))
          }
        />
      ))}
      {error !== null && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}
