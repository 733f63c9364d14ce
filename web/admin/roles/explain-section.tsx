import { useMutation } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { ExplainForm, type ExplainQuestion } from './explain-form.tsx'
import { Explanation } from './explanation.tsx'

/** Explains what a user or role may do: the policy engine's decision by the saved rules, step by step. */
export function ExplainSection() {
  const explain = useMutation({
    mutationFn: ({ who, tool, args }: ExplainQuestion) =>
      call('POST /api/admin/policy/explain', {
        body: { ...who, tool, ...(args === null ? {} : { arguments: args }) },
      }),
  })
  return (
    <Section title={t('explain.title')}>
      <p className="text-muted mb-3 max-w-prose">{t('explain.intro')}</p>
      <div className="space-y-4">
        <ExplainForm busy={explain.isPending} onAsk={(question) => explain.mutate(question)} />
        <div role="status">
          {explain.isError && <ErrorNotice title={t('explain.failed')} error={explain.error} />}
          {explain.data !== undefined && !explain.isError && (
            <Explanation answer={explain.data} person={explain.variables?.name ?? ''} />
          )}
        </div>
      </div>
    </Section>
  )
}
