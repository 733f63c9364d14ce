import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../text/i18n.ts'
import { type OpenApiDocument, resolveSchema, type Schema } from './openapi-document.ts'
import { schemaLabel } from './schema-label.ts'

interface SchemaViewProps {
  readonly document: OpenApiDocument
  readonly schema: Schema
}

/** The fields of a schema, each with its type and limits; nested objects can be expanded. */
export function SchemaView({ document, schema }: SchemaViewProps) {
  const fields = fieldsOf(document, schema)
  if (fields.length === 0) return <p className="text-sm">{schemaLabel(document, schema)}</p>
  return (
    <ul className="border-line divide-line divide-y border-y text-sm">
      {fields.map((field) => (
        <Field key={field.name} document={document} {...field} />
      ))}
    </ul>
  )
}

interface FieldProps {
  readonly document: OpenApiDocument
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
}

function Field({ document, name, schema, required }: FieldProps) {
  const [open, setOpen] = useState(false)
  const inner = fieldsOf(document, schema)
  const line = (
    <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
      <code className="font-medium">{name}</code>
      <span className="text-muted break-words">{schemaLabel(document, schema)}</span>
      {required && <span className="text-muted text-xs">{t('api.required')}</span>}
    </span>
  )
  if (inner.length === 0) return <li className="flex py-1.5 ps-5">{line}</li>
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)} className="group/field">
        <summary className="hover:bg-hover flex list-none items-baseline gap-1 py-1.5">
          <ChevronRight aria-hidden className={`text-muted size-4 shrink-0 self-center ${open ? 'rotate-90' : ''}`} />
          {line}
        </summary>
        {/* Rendered only when open: a schema may contain itself. */}
        {open && (
          <div className="border-line ms-2 mb-2 border-s ps-3">
            <SchemaView document={document} schema={innerSchema(document, schema)} />
          </div>
        )}
      </details>
    </li>
  )
}

/** Follows references, lists and "or null" to the schema with the fields. */
function innerSchema(document: OpenApiDocument, given: Schema): Schema {
  const schema = resolveSchema(document, given)
  if (schema.items !== undefined) return innerSchema(document, schema.items)
  const choices = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null')
  if (choices?.length === 1) return innerSchema(document, choices[0]!)
  if (schema.properties === undefined && typeof schema.additionalProperties === 'object')
    return innerSchema(document, schema.additionalProperties)
  return schema
}

function fieldsOf(document: OpenApiDocument, given: Schema): Omit<FieldProps, 'document'>[] {
  const schema = innerSchema(document, given)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined && choices.some((each) => innerSchema(document, each).properties !== undefined)) {
    return choices.map((each, index) => ({
      name: t('api.choice', { number: index + 1 }),
      schema: each,
      required: false,
    }))
  }
  return Object.entries(schema.properties ?? {}).map(([name, each]) => ({
    name,
    schema: each,
    required: schema.required?.includes(name) === true,
  }))
}
