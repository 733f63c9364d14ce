import { useMutation } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { t } from '../../text/i18n.ts'
import { ExplainForm, type ExplainQuestion, type ExplainSubject } from './explain-form.tsx'
import { Explanation } from './explanation.tsx'

interface ExplainDialogProps {
  readonly subject: ExplainSubject
  onClose(): void
}

/** Explains what a user or role may do: the policy engine's decision by the saved rules, step by step. */
export function ExplainDialog({ subject, onClose }: ExplainDialogProps) {
  const explain = useMutation({
    mutationFn: ({ who, tool, args }: ExplainQuestion) =>
      call('POST /api/admin/policy/explain', {
        body: { ...who, tool, ...(args === null ? {} : { arguments: args }) },
      }),
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('explain.title')}
      description={t('explain.intro')}
      size="lg"
    >
      <div className="space-y-4">
        <ExplainForm subject={subject} busy={explain.isPending} onAsk={(question) => explain.mutate(question)} />
        <div role="status">
          {explain.isError && <ErrorNotice title={t('explain.failed')} error={explain.error} />}
          {explain.data !== undefined && !explain.isError && (
            <Explanation answer={explain.data} person={explain.variables?.name ?? ''} />
          )}
        </div>
      </div>
    </Dialog>
  )
}
