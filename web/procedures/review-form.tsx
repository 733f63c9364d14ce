import { Check, X } from 'lucide-react'
import { useState } from 'react'
import type { ProcedureVersion } from '../../contract/procedure-values.ts'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { useArmed } from '../parts/controls/use-armed.ts'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { useProcedureChange } from './use-procedure-change.ts'

interface ReviewFormProps {
  readonly procedureId: string
  readonly version: ProcedureVersion
  /** Something stands in the way of approving it. */
  readonly blocked: boolean
}

/** The decision of a second person, about exactly the content that is shown. */
export function ReviewForm({ procedureId, version, blocked }: ReviewFormProps) {
  const [note, setNote] = useState('')
  const review = useProcedureChange()
  const armed = useArmed()
  const decide = (decision: 'approve' | 'reject'): void =>
    review.mutate({
      run: () =>
        call('POST /api/procedures/{procedure_id}/review', {
          params: { procedure_id: procedureId },
          body: { version: version.version, content_hash: version.content_hash, decision, note },
        }),
      done: t(decision === 'approve' ? 'procedures.approved' : 'procedures.rejected'),
    })
  return (
    <Section title={t('procedures.review')}>
      <Panel className="space-y-4 p-4">
        <p className="max-w-prose">{t('procedures.review_text')}</p>
        {review.isError && <ErrorNotice title={t('procedures.not_reviewed')} error={review.error} />}
        <TextArea label={t('procedures.review_note')} value={note} onChange={setNote} rows={2} maxLength={1000} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button icon={X} busy={review.isPending} disabled={!armed} onClick={() => decide('reject')}>
            {t('procedures.reject')}
          </Button>
          <Button
            variant="primary"
            icon={Check}
            busy={review.isPending}
            disabled={!armed || blocked}
            onClick={() => decide('approve')}
          >
            {t('procedures.approve')}
          </Button>
        </div>
      </Panel>
    </Section>
  )
}
