import type { Question } from '../../contract/questions.ts'
import type { ApprovalTable, ToolCallTable } from '../db/chat-tables.ts'
import type { Reader } from '../db/database.ts'
import { questionTopic, askQuestion } from './approval-cards.ts'
import { closeQuestion } from './close-question.ts'
import { readQuestion } from './read-question.ts'
import type { RunPorts } from './run-ports.ts'
import type { StoredRun } from './run-store.ts'
import type { ToolAnswer, ToolQuestion } from './tools.ts'

/** Questions of one call that wait at once, and all that it may ask: a module that goes on asking is not listened to. */
const AT_ONCE = 3
const ALTOGETHER = 30
/** A wake-up that was missed is made up for by a look. */
const LOOK = 5000
const CANCEL: ToolAnswer = { action: 'cancel' }

/**
 * Puts a running call's question before the person as a card, and waits for the answer: at most `limits.questionLife`, and no
 * longer than `signal`. The card is a row, so any process can decide it; only the wait is here. Never rejects.
 */
export async function askPerson(
  ports: RunPorts,
  run: StoredRun,
  epoch: number,
  call: ToolCallTable,
  asked: ToolQuestion,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const about = { run_id: call.run_id, tool: `${call.module}.${call.tool}` }
  const question = readQuestion(asked)
  if (question === null) {
    ports.log.warn(about, 'a module asked what cannot be put before a person')
    return CANCEL
  }
  try {
    const card = signal.aborted ? null : await putUp(ports, run, epoch, call, question)
    return card === null ? CANCEL : await waitFor(ports, card, signal)
  } catch (error) {
    // The card, if it is there, ends with the call.
    ports.log.warn({ err: error, ...about }, 'a question was not answered')
    return CANCEL
  }
}

/** Null when the call is over, the run has another driver, or the call has asked too much. */
async function putUp(ports: RunPorts, { row }: StoredRun, epoch: number, call: ToolCallTable, question: Question) {
  const { db, activity, limits } = ports
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, `run:${row.run_id}`)
    const now = await trx
      .selectFrom('tool_call')
      .innerJoin('run', 'run.run_id', 'tool_call.run_id')
      .select(['tool_call.status', 'run.epoch'])
      .where('tool_call.tool_call_id', '=', call.tool_call_id)
      .executeTakeFirst()
    if (now?.status !== 'running' || now.epoch !== epoch) return null
    const before = await trx
      .selectFrom('approval')
      .select('status')
      .where('tool_call_id', '=', call.tool_call_id)
      .where('kind', '=', 'question')
      .execute()
    const open = before.filter(({ status }) => status === 'pending').length
    if (open >= AT_ONCE || before.length >= ALTOGETHER) return null
    const { card, event } = await askQuestion(trx, row, call, question, limits.questionLife)
    await activity.append(trx, row.user_id, [event])
    // Who waits for the run's answer gets what there is, with the card.
    db.wake(trx, questionTopic(row.run_id))
    return card
  })
}

async function waitFor(ports: RunPorts, card: Waiting, signal: AbortSignal): Promise<ToolAnswer> {
  const { db } = ports
  for (;;) {
    const look = Promise.withResolvers<void>()
    // Listening begins before looking: what happens in between is not missed.
    const off = db.onWake(card.approval_id, look.resolve)
    const left = card.expires_at - Date.now()
    const timer = setTimeout(look.resolve, Math.min(LOOK, Math.max(left, 0)))
    signal.addEventListener('abort', () => look.resolve(), { once: true })
    try {
      const row = await read(db.read, card.approval_id)
      if (row?.status !== 'pending') return toAnswer(row)
      if (signal.aborted || left <= 0) await close(ports, row, signal.aborted ? 'cancelled' : 'expired')
      else await look.promise
    } finally {
      clearTimeout(timer)
      off()
    }
  }
}

type Waiting = Pick<ApprovalTable, 'approval_id' | 'expires_at'>

async function close(ports: RunPorts, row: ApprovalTable, status: 'cancelled' | 'expired'): Promise<void> {
  await ports.db.transaction(async (trx) => {
    await ports.db.dialect.serialize(trx, `run:${row.run_id}`)
    await closeQuestion(ports, trx, row, { status, actor: null, content: '{}', reason: null })
  })
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
