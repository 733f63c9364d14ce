import type { ModuleDetail } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'

/** The prompts that a module offers. */
export function ModulePrompts({ prompts }: { readonly prompts: ModuleDetail['prompts'] }) {
  if (prompts.length === 0) return null
  return (
    <Section title={t('modules.prompts')}>
      <p className="text-muted mb-3">{t('modules.prompts_text')}</p>
      <Panel>
        <ul className="divide-line divide-y">
          {prompts.map(({ name, title, description, arguments: needed }) => (
            <li key={name} className="px-4 py-2.5">
              <p>
                <span className="font-medium break-words">{title}</span>{' '}
                <span className="text-muted font-mono text-xs break-all">{name}</span>
              </p>
              {description !== '' && <p className="text-muted break-words whitespace-pre-line">{description}</p>}
              {needed.length > 0 && (
                <p className="text-muted mt-1 text-sm">
                  {t('modules.prompt_arguments')}{' '}
                  {needed.map(({ name: argument, required }) => (
                    <code key={argument} className="text-ink me-2 break-all">
                      {argument}
                      {!required && '?'}
                    </code>
                  ))}
                </p>
              )}
            </li>
          ))}
        </ul>
      </Panel>
    </Section>
  )
}
