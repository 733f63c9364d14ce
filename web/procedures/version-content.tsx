import type { ReactNode } from 'react'
import { paramOf } from '../../contract/parameter-reference.ts'
import type { ProcedureVersion } from '../../contract/procedure-values.ts'
import { visible } from '../../contract/visible-text.ts'
import { Badge } from '../parts/feedback/badge.tsx'
import { ArgumentsList } from '../parts/layout/arguments-list.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { testWords } from './test-words.ts'

interface VersionContentProps {
  readonly version: ProcedureVersion
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/** All that a version does, as it is reviewed: nothing is folded away. */
export function VersionContent({ version, problems }: VersionContentProps) {
  const problemAt = (path: string): string | undefined => problems.find((one) => one.path === path)?.message
  return (
    <div className="space-y-6">
      {version.description !== '' && <p className="max-w-prose whitespace-pre-line">{version.description}</p>}
      {version.params.length > 0 && (
        <Section title={t('procedures.params')}>
          <Panel>
            <ul className="divide-line divide-y">
              {version.params.map(({ name, title, test, preset }, at) => (
                <li key={name} className="px-4 py-2">
                  <p>
                    <span className="font-medium">{title}</span>{' '}
                    <code className="text-muted text-sm break-all">{name}</code>
                  </p>
                  <p className="text-muted text-sm break-words">
                    {visible(testWords(test))}
                    {preset !== undefined && ` · ${t('procedures.param_preset')} `}
                    {preset !== undefined && <code>{visible(JSON.stringify(preset))}</code>}
                  </p>
                  <Problem text={problemAt(`params.${at}`)} />
                </li>
              ))}
            </ul>
          </Panel>
        </Section>
      )}
      <Section title={t('procedures.steps')}>
        <Panel>
          <ol className="divide-line divide-y">
            {version.steps.map((step, at) => (
              <li key={at} className="space-y-2 px-4 py-3">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <span className="text-muted tabular">{at + 1}.</span>
                  {step.note !== '' && <span className="font-medium">{step.note}</span>}
                  <code className="text-sm break-all">
                    {step.module}.{step.tool}
                  </code>
                  {step.confirm && <Badge tone="warn">{t('procedures.confirmed')}</Badge>}
                </p>
                <ArgumentsList
                  arguments={escaped(step.arguments) as Record<string, unknown>}
                  instead={(value) => parameterShown(value, version.params)}
                />
                <Problem text={problemAt(`steps.${at}`)} />
              </li>
            ))}
          </ol>
        </Panel>
      </Section>
    </div>
  )
}

/** Arguments in which nothing hides from who reviews them. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return visible(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(escaped)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [visible(key), escaped(item)]))
}

/** A parameter as it stands in a step: by its title; null for what is no parameter. */
function parameterShown(value: unknown, params: ProcedureVersion['params']): ReactNode {
  const name = paramOf(value)
  if (name === null) return null
  const title = params.find((one) => one.name === name)?.title ?? name
  return (
    <span className="font-sans">
      <span className="font-medium">{title}</span> <code className="text-muted">{name}</code>
    </span>
  )
}

function Problem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <p className="text-danger text-sm">{text}</p>
}
