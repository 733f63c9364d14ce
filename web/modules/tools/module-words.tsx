import type { ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import type { useModuleChange } from '../list/use-module-change.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { t } from '../../text/i18n.ts'

interface ModuleWordsProps {
  readonly module: ModuleDetail
  readonly change: ReturnType<typeof useModuleChange>
}

const ID = 'agree words'

/** What a module tells engines about its tools, and the agreement to it. */
export function ModuleWords({ module, change }: ModuleWordsProps) {
  const { name, instructions } = module
  if (instructions === null) return null
  const agree = (): void =>
    change.mutate({
      id: ID,
      failed: t('modules.agree_failed'),
      done: t('modules.words_agreed'),
      run: () =>
        call('POST /api/modules/{module_name}/tools/agree', {
          params: { module_name: name },
          body: { tools: [], instructions: instructions.hash },
        }),
    })
  return (
    <Section title={t('modules.words')}>
      <div className="space-y-3">
        <p className="text-muted">{t('modules.words_text')}</p>
        {instructions.pin !== 'agreed' && (
          <Notice
            tone="warn"
            title={t('modules.words_waiting')}
            actions={
              <Button
                size="sm"
                busy={change.isPending && change.variables.id === ID}
                disabled={change.isPending}
                onClick={agree}
              >
                {t('modules.agree')}
                <span className="sr-only"> {t('modules.words')}</span>
              </Button>
            }
          />
        )}
        <Panel>
          <p className="px-4 py-2.5 break-words whitespace-pre-line">{instructions.text}</p>
        </Panel>
      </div>
    </Section>
  )
}
