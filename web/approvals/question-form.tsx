import { useState } from 'react'
import { checkAnswers } from '../../contract/check-answers.ts'
import type { Approval, QuestionSchema } from '../../contract/chat.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { QuestionControl } from './question-control.tsx'
import { questionDraftOf, forgetDraft, keepDraft, type QuestionDraft, toContent } from './question-draft.ts'
import { useArmed } from '../parts/controls/use-armed.ts'
import { decideOwn, useDecision } from './use-decision.ts'

interface QuestionFormProps {
  readonly approval: Approval
  readonly schema: QuestionSchema
  onDecided(approval: Approval): void
}

/** The values that a module asks for. Validated as the server validates them, and sent only by a button. */
export function QuestionForm({ approval, schema, onDecided }: QuestionFormProps) {
  const { approval_id: id } = approval
  const [draft, setDraft] = useState(() => questionDraftOf(id, schema))
  const [checked, setChecked] = useState(false)
  const armed = useArmed()
  const decision = useDecision(approval, decideOwn, (next) => {
    forgetDraft(id)
    onDecided(next)
  })
  const problems = checked ? checkAnswers(schema, toContent(schema, draft)) : []
  const change = (name: string, value: QuestionDraft[string]): void => {
    const next = { ...draft, [name]: value }
    keepDraft(id, next)
    setDraft(next)
  }
  const send = (): void => {
    const content = toContent(schema, draft)
    if (checkAnswers(schema, content).length > 0) return setChecked(true)
    decision.mutate({ decision: 'approve', content })
  }
  const waiting = decision.isPending ? decision.variables.decision : null
  return (
    // Enter in a field must not send the form.
    <form onSubmit={(event) => event.preventDefault()} noValidate className="space-y-4">
      {decision.isError && <ErrorNotice title={t('question.not_sent')} error={decision.error} />}
      {Object.entries(schema.properties).map(([name, field]) => {
        const wrong = problems.find(({ path }) => path === name)
        return (
          <QuestionControl
            key={name}
            field={field}
            required={schema.required.includes(name)}
            value={draft[name] ?? ''}
            error={wrong === undefined ? null : t(`question.wrong_${wrong.code}`, { limit: wrong.limit ?? 0 })}
            onChange={(value) => change(name, value)}
          />
        )
      })}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={!armed || waiting !== null} busy={waiting === 'approve'} onClick={send}>
          {t('question.send')}
        </Button>
        <Button
          disabled={!armed || waiting !== null}
          busy={waiting === 'deny'}
          onClick={() => decision.mutate({ decision: 'deny' })}
        >
          {t('question.decline')}
        </Button>
      </div>
    </form>
  )
}
