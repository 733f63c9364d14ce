import { randomBytes } from 'node:crypto'
import type { OperationOutcome, PlannedAction } from '../../modules/machine-operation.ts'
import { askHelper, ConnectionLost } from './ask.ts'
import { DoorShut, type HelperDoor } from './door.ts'
import { encodeRequest, RequestProblem } from './encode-request.ts'
import { readAnswer } from './read-answer.ts'

/** Asks reeve-op what the package manager would do, which changes nothing and leaves no record. Never rejects. */
export async function askPlan(
  door: HelperDoor,
  wanted: { readonly action: PlannedAction; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<OperationOutcome> {
  const silent = (message: string): OperationOutcome => ({ kind: 'lost', lost: 'not_started', message })
  try {
    const request = encodeRequest(randomBytes(16).toString('hex'), { op: 'plan', ...wanted })
    return readAnswer(await askHelper(door, request, signal)) ?? silent('The connection broke within an answer.')
  } catch (error) {
    if (error instanceof RequestProblem) return { kind: 'refused', why: 'syntax', text: error.message }
    if (error instanceof DoorShut) return { kind: 'missing', text: error.message }
    if (error instanceof ConnectionLost) return silent(error.message)
    throw error
  }
}
