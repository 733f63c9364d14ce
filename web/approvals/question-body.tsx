import type { Approval, Question } from '../../contract/chat.ts'
import { t } from '../text/i18n.ts'
import { QuestionAddress } from './question-address.tsx'
import { QuestionForm } from './question-form.tsx'

interface QuestionBodyProps {
  readonly approval: Approval
  readonly question: Question
  onDecided(approval: Approval): void
}

/** A question that a module asks during a call: its words, marked as the module's, and the form to answer. */
export function QuestionBody({ approval, question, onDecided }: QuestionBodyProps) {
  return (
    <>
      <div className="space-y-1">
        <p className="text-sm text-muted">{t('question.asks', { module: approval.module })}</p>
        <blockquote className="border-s-2 border-line-strong ps-3 break-words whitespace-pre-wrap">
          {question.message}
        </blockquote>
        <p className="text-sm text-muted">{t('question.no_password')}</p>
      </div>
      {question.schema !== null && <QuestionForm approval={approval} schema={question.schema} onDecided={onDecided} />}
      {question.url !== null && <QuestionAddress approval={approval} url={question.url} onDecided={onDecided} />}
    </>
  )
}
