import { type AnswerProblem, checkAnswers } from '../../../contract/check-answers.ts'
import type { AnswerContent, Question } from '../../../contract/questions.ts'
import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'

/**
 * Checks that values are given where a question asks for them, and nowhere else.
 * @returns what the module receives. @throws {AppError} invalid_request, with the path of each wrong value
 */
export function answerOf(
  card: Pick<ApprovalTable, 'kind' | 'question'>,
  decision: 'approve' | 'approve_for_conversation' | 'deny',
  content: AnswerContent | undefined,
): AnswerContent {
  const question = card.question === null ? null : (JSON.parse(card.question) as Question)
  if (question !== null && decision === 'approve_for_conversation')
    throw refused(
      say`A question is answered once, not for the whole conversation.`,
      'decision',
      say`must be approve or deny`,
    )
  const schema = decision === 'approve' ? question?.schema : null
  if (schema == null) {
    if (content !== undefined)
      throw refused(say`Values are only for a question that is answered.`, 'content', say`must be left out here`)
    return {}
  }
  const problems = checkAnswers(schema, content ?? {})
  if (problems.length > 0) {
    throw new AppError('invalid_request', say`These values do not answer the question.`, {
      errors: problems.map((problem) => ({ path: `content.${problem.path}`, message: sentence(problem) })),
    })
  }
  return content ?? {}
}

function refused(detail: Sentence, path: string, message: Sentence): AppError {
  return new AppError('invalid_request', detail, { errors: [{ path, message }] })
}

const SENTENCES: Record<AnswerProblem['code'], (limit: number) => Sentence> = {
  required: () => say`is required`,
  unknown: () => say`is not asked for`,
  text: () => say`must be a text`,
  too_short: (limit) => say`must have at least ${limit} characters`,
  too_long: (limit) => say`must have at most ${limit} characters`,
  email: () => say`must be an e-mail address`,
  uri: () => say`must be an address (URI)`,
  date: () => say`must be a date in the form YYYY-MM-DD`,
  date_time: () => say`must be a time such as 2026-01-31T12:00:00Z`,
  number: () => say`must be a number`,
  integer: () => say`must be a whole number`,
  too_small: (limit) => say`must be at least ${limit}`,
  too_large: (limit) => say`must be at most ${limit}`,
  boolean: () => say`must be true or false`,
  choice: () => say`must be one of the options`,
  choices: () => say`must be a list of distinct options`,
  too_few: (limit) => say`must have at least ${limit} options`,
  too_many: (limit) => say`must have at most ${limit} options`,
}

function sentence({ code, limit }: AnswerProblem): Sentence {
  return SENTENCES[code](limit ?? 0)
}
