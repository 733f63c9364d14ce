import type { RunStatus, ToolCallStatus } from '../../../contract/chat.ts'

/** A run between two steps, as plain data. `calls` are those of the newest step that asked for tools. */
export interface RunState {
  readonly status: RunStatus
  /** Finished model steps. */
  readonly step: number
  readonly calls: readonly CallState[]
}
export interface CallState {
  readonly tool_call_id: string
  readonly status: ToolCallStatus
}

export type RunEvent =
  /** The model answered without asking for tools: the run is done. */
  | { type: 'model_answered' }
  /** The model requested tools; refused and malformed calls come with their final status. */
  | { type: 'tools_requested'; calls: readonly CallState[] }
  | { type: 'call_started'; tool_call_id: string }
  | { type: 'call_ended'; tool_call_id: string; status: 'done' | 'failed' | 'denied' | 'cancelled' | 'unknown' }
  /** What was approved is not what would run, or the call now needs approval: there is a new card. */
  | { type: 'approval_needed'; tool_call_id: string }
  /** A card was decided; `tool_call_id` null is the card for the run itself. */
  | { type: 'approval_decided'; tool_call_id: string | null; approved: boolean }
  | { type: 'run_cancelled' }
  | { type: 'run_failed' }
  | { type: 'run_interrupted' }

const FINISHED: ReadonlySet<RunStatus> = new Set(['done', 'failed', 'cancelled', 'interrupted'])
const ENDED: ReadonlySet<ToolCallStatus> = new Set(['done', 'denied', 'failed', 'cancelled', 'unknown'])

export function isFinished(status: RunStatus): boolean {
  return FINISHED.has(status)
}
export function hasEnded(status: ToolCallStatus): boolean {
  return ENDED.has(status)
}

/** An event that is impossible in this state: a bug in the caller, or a lost race. */
export class ImpossibleEvent extends Error {
  constructor(state: RunState, event: RunEvent) {
    super(`${event.type} cannot happen to a run that is ${state.status}`)
    this.name = 'ImpossibleEvent'
  }
}

/**
 * The one function that knows every step of a run.
 *
 *     thinking → (all calls allowed or refused) → acting → thinking …        → done | failed | cancelled | interrupted
 *     thinking → (some ask) → waiting_approval → last decision → acting
 */
export function next(state: RunState, event: RunEvent): RunState {
  if (isFinished(state.status)) throw new ImpossibleEvent(state, event)
  switch (event.type) {
    case 'model_answered':
      if (state.status !== 'thinking') throw new ImpossibleEvent(state, event)
      return { status: 'done', step: state.step + 1, calls: [] }
    case 'tools_requested':
      if (state.status !== 'thinking' || event.calls.length === 0) throw new ImpossibleEvent(state, event)
      return settle(state.step + 1, event.calls)
    case 'call_started':
      if (state.status !== 'acting') throw new ImpossibleEvent(state, event)
      return settle(state.step, change(state, event, ['pending'], 'running'))
    case 'call_ended':
      // A call that never started may still end: its tool is gone, or a rule now denies it.
      if (state.status !== 'acting') throw new ImpossibleEvent(state, event)
      return settle(
        state.step,
        change(
          state,
          event,
          event.status === 'done' || event.status === 'unknown' ? ['running'] : ['running', 'pending'],
          event.status,
        ),
      )
    case 'approval_needed':
      if (state.status === 'thinking') throw new ImpossibleEvent(state, event)
      return settle(state.step, change(state, event, ['pending'], 'awaiting_approval'))
    case 'approval_decided':
      if (state.status !== 'waiting_approval') throw new ImpossibleEvent(state, event)
      if (event.tool_call_id === null) {
        if (state.calls.length > 0) throw new ImpossibleEvent(state, event)
        return { status: event.approved ? 'thinking' : 'cancelled', step: state.step, calls: [] }
      }
      return settle(
        state.step,
        change(
          state,
          { ...event, tool_call_id: event.tool_call_id },
          ['awaiting_approval'],
          event.approved ? 'pending' : 'denied',
        ),
      )
    case 'run_cancelled':
      return finish(state, 'cancelled')
    case 'run_failed':
      return finish(state, 'failed')
    case 'run_interrupted':
      return finish(state, 'interrupted')
  }
}

/**
 * The run's state given those of its calls: a pending card comes before any running, and the model continues after all
 * calls.
 */
function settle(step: number, calls: readonly CallState[]): RunState {
  if (calls.some((call) => call.status === 'awaiting_approval')) return { status: 'waiting_approval', step, calls }
  if (calls.every((call) => hasEnded(call.status))) return { status: 'thinking', step, calls }
  return { status: 'acting', step, calls }
}

/**
 * A finished run has no open calls: those that did not start are cancelled, those that were running have an unknown
 * outcome.
 */
function finish(state: RunState, status: 'cancelled' | 'failed' | 'interrupted'): RunState {
  return {
    status,
    step: state.step,
    calls: state.calls.map((call) =>
      hasEnded(call.status) ? call : { ...call, status: call.status === 'running' ? 'unknown' : 'cancelled' },
    ),
  }
}

function change(
  state: RunState,
  event: RunEvent & { tool_call_id: string },
  from: readonly ToolCallStatus[],
  to: ToolCallStatus,
): CallState[] {
  const call = state.calls.find((candidate) => candidate.tool_call_id === event.tool_call_id)
  if (!call || !from.includes(call.status)) throw new ImpossibleEvent(state, event)
  return state.calls.map((candidate) => (candidate === call ? { ...candidate, status: to } : candidate))
}
