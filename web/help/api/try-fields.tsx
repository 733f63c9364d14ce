import { useId } from 'react'
import { t } from '../../text/i18n.ts'
import { Field } from '../../parts/controls/field.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { type OpenApiDocument, type Parameter, resolveSchema } from './openapi-document.ts'
import type { Operation } from './operations.ts'
import { schemaLabel } from './schema-label.ts'
import { isJson, keyOf, type TryValues } from './try-values.ts'

interface TryFieldsProps {
  readonly document: OpenApiDocument
  readonly operation: Operation
  readonly values: TryValues
  onValues(values: TryValues): void
  /** Send was pressed: missing values are marked. */
  readonly tried: boolean
}

/** A field for each parameter and one for the body. */
export function TryFields({ document, operation, values, onValues, tried }: TryFieldsProps) {
  const set = (key: string, value: string): void =>
    onValues({ ...values, parameters: { ...values.parameters, [key]: value } })
  const fileId = useId()
  const { parameters, body } = operation
  return (
    <>
      {parameters.length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          {parameters.map((parameter) => (
            <ParameterField
              key={keyOf(parameter)}
              document={document}
              parameter={parameter}
              value={values.parameters[keyOf(parameter)] ?? ''}
              onChange={(value) => set(keyOf(parameter), value)}
              tried={tried}
            />
          ))}
        </div>
      )}
      {body?.kind === 'json' && (
        <TextArea
          label={t('api.body_json')}
          value={values.json}
          onChange={(json) => onValues({ ...values, json })}
          rows={Math.min(16, values.json.split('\n').length + 1)}
          error={isJson(values.json) ? null : t('api.bad_json')}
          spellCheck={false}
          style={{ fontFamily: 'var(--mono)', fontSize: '0.8125rem' }}
        />
      )}
      {body?.kind === 'raw' && (
        <Field
          id={fileId}
          label={t('api.body_file')}
          hint={body.note}
          error={tried && values.file === null ? t('api.required_file') : null}
        >
          {(described) => (
            <input
              id={fileId}
              type="file"
              onChange={(event) => onValues({ ...values, file: event.target.files?.[0] ?? null })}
              className="border-line-strong bg-surface block w-full rounded-md border px-3 py-1.5"
              {...described}
            />
          )}
        </Field>
      )}
    </>
  )
}

interface ParameterFieldProps {
  readonly document: OpenApiDocument
  readonly parameter: Parameter
  readonly value: string
  onChange(value: string): void
  readonly tried: boolean
}

function ParameterField({ document, parameter, value, onChange, tried }: ParameterFieldProps) {
  const schema = resolveSchema(document, parameter.schema)
  const label = t('api.parameter', { name: parameter.name, place: t(`api.in_${parameter.in}`) })
  const choices = schema.enum?.map(String) ?? (schema.type === 'boolean' ? ['true', 'false'] : null)
  const error = tried && parameter.required && value === '' ? t('api.required_value') : null
  if (choices !== null) {
    const options = ['', ...choices].map((one) => ({ value: one, label: one === '' ? t('api.not_sent') : one }))
    return <SelectField label={label} value={value} onChange={onChange} options={options} error={error} />
  }
  return (
    <TextField
      label={label}
      value={value}
      onChange={onChange}
      required={parameter.required}
      hint={schemaLabel(document, schema)}
      error={error}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
