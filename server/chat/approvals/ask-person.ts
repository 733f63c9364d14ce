import type { Question } from '../../../contract/questions.ts'
import type { ApprovalTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { Reader } from '../../db/database.ts'
import { questionTopic, askQuestion } from './approval-cards.ts'
import { closeQuestion } from './close-question.ts'
import { readQuestion } from './read-question.ts'
import { LostLease } from '../run/run-store.ts'
import type { Step } from '../run/step.ts'
import type { ToolAnswer, ToolQuestion } from '../ports/tools.ts'

/**
 * How many questions of one call may be open at once, and how many it may ask in all: a module that keeps asking is
 * ignored.
 */
const AT_ONCE = 3
const ALTOGETHER = 30
/** Polling interval in milliseconds; makes up for a missed wake-up. */
const LOOK = 5000
const CANCEL: ToolAnswer = { action: 'cancel' }

/**
 * Shows a running call's question to the person as a card and waits for the answer: at most `limits.questionLife`, and
 * no longer than `signal`. The card is a row, so any process can decide it; only the waiting happens here. Never
 * rejects.
 */
export async function askPerson(
  step: Step,
  call: ToolCallTable,
  asked: ToolQuestion,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const about = { run_id: call.run_id, tool: `${call.module}.${call.tool}` }
  const question = readQuestion(asked)
  if (question === null) {
    step.log.warn(about, 'a module asked what cannot be put before a person')
    return CANCEL
  }
  try {
    const card = signal.aborted ? null : await putUp(step, call, question)
    return card === null ? CANCEL : await waitFor(step, card, signal)
  } catch (error) {
    // If a card was created, it is closed with the call.
    if (!(error instanceof LostLease)) step.log.warn({ err: error, ...about }, 'a question was not answered')
    return CANCEL
  }
}

/** Null when the call is over or has asked too often. @throws {LostLease} */
async function putUp(step: Step, call: ToolCallTable, question: Question) {
  const { db, store, activity, limits, policy } = step
  const { row } = step.run
  return store.write(step, async (trx) => {
    const now = await trx
      .selectFrom('tool_call')
      .select('status')
      .where('tool_call_id', '=', call.tool_call_id)
      .executeTakeFirst()
    if (now?.status !== 'running') return null
    const before = await trx
      .selectFrom('approval')
      .select('status')
      .where('tool_call_id', '=', call.tool_call_id)
      .where('kind', '=', 'question')
      .execute()
    const open = before.filter(({ status }) => status === 'pending').length
    if (open >= AT_ONCE || before.length >= ALTOGETHER) return null
    const { card, event } = await askQuestion(trx, row, call, question, policy.language, limits.questionLife)
    await activity.append(trx, row.user_id, [event])
    // Whoever waits for the run's answer gets what there is so far, along with the card.
    db.wake(trx, questionTopic(row.run_id))
    return card
  })
}

/** @throws {LostLease} */
async function waitFor(step: Step, card: Waiting, signal: AbortSignal): Promise<ToolAnswer> {
  const { db } = step
  for (;;) {
    const look = Promise.withResolvers<void>()
    // Subscribed before the first look, so that nothing in between is missed.
    const off = db.onWake(card.approval_id, look.resolve)
    const left = card.expires_at - Date.now()
    const timer = setTimeout(look.resolve, Math.min(LOOK, Math.max(left, 0)))
    signal.addEventListener('abort', () => look.resolve(), { once: true })
    try {
      const row = await read(db.read, card.approval_id)
      if (row?.status !== 'pending') return toAnswer(row)
      if (signal.aborted || left <= 0) await close(step, row, signal.aborted ? 'cancelled' : 'expired')
      else await look.promise
    } finally {
      clearTimeout(timer)
      off()
    }
  }
}

type Waiting = Pick<ApprovalTable, 'approval_id' | 'expires_at'>

async function close(step: Step, row: ApprovalTable, status: 'cancelled' | 'expired'): Promise<void> {
  await step.store.write(step, (trx) =>
    closeQuestion(step, trx, row, { status, actor: null, content: '{}', reason: null }),
  )
}

function read(reader: Reader, approval_id: string): Promise<ApprovalTable | undefined> {
  return reader.selectFrom('approval').selectAll().where('approval_id', '=', approval_id).executeTakeFirst()
}

function toAnswer(row: ApprovalTable | undefined): ToolAnswer {
  if (row?.status === 'approved') {
    return {
      action: 'accept',
      content: JSON.parse(row.arguments) as Extract<ToolAnswer, { action: 'accept' }>['content'],
    }
  }
  return { action: row?.status === 'denied' ? 'decline' : 'cancel' }
}
