import { type ReactNode, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { curlCommand } from './curl-command.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import type { Operation } from './operations.ts'
import { schemaExample } from './schema-example.ts'
import { SchemaView } from './schema-view.tsx'
import { schemaLabel } from './schema-label.ts'
import { Collapsible } from '../collapsible.tsx'
import { TryIt } from './try-it.tsx'
import { firstValues, tryRequestOf } from './try-values.ts'

interface OperationDetailProps {
  readonly document: OpenApiDocument
  readonly operation: Operation
}

/** Everything about one route: access, input, responses, errors, and a form to try it. */
export function OperationDetail({ document, operation }: OperationDetailProps) {
  const [values, setValues] = useState(() => firstValues(document, operation))
  const { access, permissions, parameters, body, answers, errors } = operation
  const kind = answers.some(({ mediaType }) => mediaType === 'text/event-stream')
    ? 'events'
    : answers.some(({ mediaType }) => mediaType === '*/*')
      ? 'file'
      : 'json'
  return (
    <div className="space-y-6">
      <p className="text-muted text-sm">
        {t(`api.access_${access}`)}
        {permissions.length > 0 && ` ${t('api.permissions', { names: permissions.join(', ') })}`}
      </p>
      {parameters.length > 0 && (
        <Part title={t('api.parameters')}>
          <ul className="border-line divide-line divide-y border-y text-sm">
            {parameters.map((parameter) => (
              <li key={`${parameter.in}:${parameter.name}`} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
                <code className="font-medium">{parameter.name}</code>
                <span className="text-muted">{t(`api.in_${parameter.in}`)}</span>
                <span className="text-muted break-words">{schemaLabel(document, parameter.schema)}</span>
                {parameter.required && <span className="text-muted text-xs">{t('api.required')}</span>}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {body !== null && (
        <Part title={t('api.body')}>
          {body.kind === 'raw' ? (
            <p className="text-sm">{t('api.body_raw', { note: body.note })}</p>
          ) : (
            <SchemaView document={document} schema={body.schema} />
          )}
        </Part>
      )}
      <Part title={t('api.answers')}>
        {answers.map(({ status, description, mediaType, schema }) => (
          <div key={status} className="mb-3 space-y-2">
            <p className="text-sm">
              <strong>{status}</strong>{' '}
              <span className="text-muted">{[description, mediaType].filter(Boolean).join(' · ')}</span>
            </p>
            {schema !== null && mediaType?.includes('json') === true && (
              <>
                <SchemaView document={document} schema={schema} />
                <Collapsible summary={t('api.example')}>
                  <CodeBlock code={JSON.stringify(schemaExample(document, schema), null, 2)} language="json" />
                </Collapsible>
              </>
            )}
          </div>
        ))}
      </Part>
      <Part title={t('api.errors')}>
        <ul className="text-sm">
          {errors.map(({ status, code, title }) => (
            <li key={code} className="flex flex-wrap gap-x-3 py-0.5">
              <span className="tabular w-8">{status}</span>
              <code className="break-all">{code}</code>
              <span className="text-muted">{title}</span>
            </li>
          ))}
        </ul>
      </Part>
      <Part title={t('api.command')}>
        <CodeBlock code={curlCommand(location.origin, tryRequestOf(operation, values), kind)} language="sh" wrap />
      </Part>
      <Part title={t('api.try')}>
        <TryIt document={document} operation={operation} values={values} onValues={setValues} />
      </Part>
    </div>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h4 className="mb-2 font-medium">{title}</h4>
      {children}
    </section>
  )
}
