import { setTimeout as pause } from 'node:timers/promises'
import type { OperateOptions, Operation, OperationOutcome } from '../../modules/machine-operation.ts'
import { askHelper, ConnectionLost } from './ask.ts'
import { encodeRequest, RequestProblem } from './encode-request.ts'
import { DoorShut, type HelperDoor } from './door.ts'
import { readAnswer } from './read-answer.ts'

/** Between attempts to reach a machine that has an operation of ours; the last is repeated. */
const PAUSES_MS = [0, 250, 1000, 3000, 5000]
/** For so long a machine may be silent before its operation counts as unknown. */
const SILENT_MS = 60_000

/**
 * Has an operation done, and waits for its end. It is asked for once; a connection that breaks after that is replaced by
 * asking how the operation stands. When `signal` aborts, the waiting ends, not the operation. Never rejects.
 */
export async function operate(
  door: HelperDoor,
  operation: Operation,
  options: OperateOptions,
  signal: AbortSignal,
): Promise<OperationOutcome> {
  try {
    return await follow(door, encodeRequest(options.op_id, operation), options, signal, false)
  } catch (error) {
    if (error instanceof RequestProblem) return { kind: 'refused', why: 'syntax', text: error.message }
    throw error
  }
}

/** How an operation ended that was asked for earlier, perhaps by a process that has died. Never rejects. */
export function operationStatus(
  door: HelperDoor,
  options: OperateOptions,
  signal: AbortSignal,
): Promise<OperationOutcome> {
  return follow(door, encodeRequest(options.op_id, { op: 'status' }), options, signal, true)
}

/** @param asked whether the operation may have arrived already */
async function follow(
  door: HelperDoor,
  first: Buffer,
  { op_id, deadline_ms }: OperateOptions,
  signal: AbortSignal,
  asked: boolean,
): Promise<OperationOutcome> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(deadline_ms)])
  let request = first
  let heard_at = performance.now()
  let silent = 0
  let last: OperationOutcome = { kind: 'lost', lost: asked ? 'unknown' : 'not_started', message: 'Not waited for.' }
  while (!ends.aborted) {
    const attempt = await attemptOf(door, request, ends)
    if (attempt.outcome?.kind === 'running') {
      last = attempt.outcome
      heard_at = performance.now()
      silent = 0
    } else {
      if (attempt.outcome !== null) return attempt.outcome
      // Where nothing can have arrived, there is nothing to ask about.
      if (!asked && !attempt.sent)
        return attempt.shut
          ? { kind: 'missing', text: attempt.problem }
          : { kind: 'lost', lost: 'not_started', message: attempt.problem }
      const unknown: OperationOutcome = { kind: 'lost', lost: 'unknown', message: attempt.problem }
      if (performance.now() - heard_at > SILENT_MS) return unknown
      if (last.kind !== 'running') last = unknown
      await pause(PAUSES_MS[Math.min(silent++, PAUSES_MS.length - 1)], undefined, { signal: ends }).catch(() => null)
    }
    asked = true
    request = encodeRequest(op_id, { op: 'status' })
  }
  return last
}

type Attempt =
  | { readonly outcome: OperationOutcome }
  /** `sent`: something may have arrived; `shut`: the machine is there, and says that reeve-op is not. */
  | { readonly outcome: null; readonly sent: boolean; readonly shut: boolean; readonly problem: string }

async function attemptOf(door: HelperDoor, request: Buffer, signal: AbortSignal): Promise<Attempt> {
  try {
    const outcome = readAnswer(await askHelper(door, request, signal))
    if (outcome === null) return { outcome, sent: true, shut: false, problem: 'The connection broke within an answer.' }
    // Somebody else has answered, so reeve-op has not been started.
    return outcome.kind === 'missing' ? { outcome: null, sent: false, shut: true, problem: outcome.text } : { outcome }
  } catch (error) {
    if (error instanceof DoorShut) return { outcome: null, sent: false, shut: true, problem: error.message }
    if (error instanceof ConnectionLost) return { outcome: null, sent: error.sent, shut: false, problem: error.message }
    throw error
  }
}
