import type { ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { RuleList } from './rule-list.tsx'
import type { useModuleChange } from '../list/use-module-change.ts'

interface KeptRulesProps {
  readonly module: ModuleDetail
  readonly change: ReturnType<typeof useModuleChange>
}

/** Offers to restore the rules that allowed the module's tools before it was removed. */
export function KeptRules({ module: { name, kept_rules: kept }, change }: KeptRulesProps) {
  if (kept === null) return null
  return (
    <Notice
      tone="info"
      className="mb-5"
      title={t('modules.kept_rules', { count: kept.rules.length })}
      actions={
        <Button
          size="sm"
          busy={change.isPending && change.variables.id === 'rules'}
          disabled={change.isPending}
          onClick={() =>
            change.mutate({
              id: 'rules',
              failed: t('modules.kept_rules_failed'),
              done: t('modules.kept_rules_done'),
              run: () =>
                call('POST /api/modules/{module_name}/restore-rules', {
                  params: { module_name: name },
                  body: { backup: kept.backup },
                }),
            })
          }
        >
          {t('modules.kept_rules_restore')}
        </Button>
      }
    >
      <p className="mb-2">{t('modules.kept_rules_text')}</p>
      <RuleList rules={kept.rules} />
    </Notice>
  )
}
