import { type AnswerProblem, checkAnswers } from '../../contract/check-answers.ts'
import type { AnswerContent, Question } from '../../contract/questions.ts'
import type { ApprovalTable } from '../db/chat-tables.ts'
import { AppError } from '../kernel/app-error.ts'

/**
 * Checks that values are given where a question asks for them, and nowhere else.
 * @returns what the module gets. @throws {AppError} invalid_request, with the path of each value that is wrong
 */
export function answerOf(
  card: Pick<ApprovalTable, 'kind' | 'question'>,
  decision: 'approve' | 'approve_for_conversation' | 'deny',
  content: AnswerContent | undefined,
): AnswerContent {
  const question = card.question === null ? null : (JSON.parse(card.question) as Question)
  if (question !== null && decision === 'approve_for_conversation')
    throw refused('A question is answered once, not for the whole conversation.', 'decision', 'must be approve or deny')
  const schema = decision === 'approve' ? question?.schema : null
  if (schema == null) {
    if (content !== undefined)
      throw refused('Values are only for a question that is answered.', 'content', 'must be left out here')
    return {}
  }
  const problems = checkAnswers(schema, content ?? {})
  if (problems.length > 0) {
    throw new AppError('invalid_request', 'These values do not answer the question.', {
      errors: problems.map((problem) => ({ path: `content.${problem.path}`, message: sentence(problem) })),
    })
  }
  return content ?? {}
}

function refused(detail: string, path: string, message: string): AppError {
  return new AppError('invalid_request', detail, { errors: [{ path, message }] })
}

const SENTENCES: Record<AnswerProblem['code'], string> = {
  required: 'is required',
  unknown: 'is not asked for',
  text: 'must be a text',
  too_short: 'must have at least # characters',
  too_long: 'must have at most # characters',
  email: 'must be an e-mail address',
  uri: 'must be an address (URI)',
  date: 'must be a day as YYYY-MM-DD',
  date_time: 'must be a time as in 2026-01-31T12:00:00Z',
  number: 'must be a number',
  integer: 'must be a whole number',
  too_small: 'must be at least #',
  too_large: 'must be at most #',
  boolean: 'must be true or false',
  choice: 'must be one of the options',
  choices: 'must be a list of the options, none twice',
  too_few: 'must have at least # options',
  too_many: 'must have at most # options',
}

function sentence({ code, limit }: AnswerProblem): string {
  return SENTENCES[code].replace('#', String(limit))
}
