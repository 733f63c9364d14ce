import type { ProcedureVersion } from '../../contract/procedure-values.ts'
import { Badge } from '../parts/feedback/badge.tsx'
import { CodeBlock } from '../parts/layout/code-block.tsx'
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
              {version.params.map(({ name, title, test }, at) => (
                <li key={name} className="px-4 py-2">
                  <p>
                    <span className="font-medium">{title}</span>{' '}
                    <code className="text-muted text-sm break-all">{name}</code>
                  </p>
                  <p className="text-muted text-sm break-words">{testWords(test)}</p>
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
                <CodeBlock wrap language="JSON" code={JSON.stringify(step.arguments, null, 2)} />
                <Problem text={problemAt(`steps.${at}`)} />
              </li>
            ))}
          </ol>
        </Panel>
      </Section>
    </div>
  )
}

function Problem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <p className="text-danger text-sm">{text}</p>
}
