import type { MessageTable, RunTable } from '../../db/rows/chat-tables.ts'
import type { NewEvent } from '../history/activity.ts'
import type { RunState } from './run-state.ts'

/** The status of the answer of a run. */
export function messageStatus(status: RunTable['status']): MessageTable['status'] {
  if (status === 'thinking' || status === 'acting') return 'streaming'
  return status === 'done' ? 'complete' : status
}

/** The event that tells of a run's new status; null when there is none. */
export function statusEvent(before: RunTable['status'], after: RunState): NewEvent['type'] | null {
  if (after.status === before) return null
  switch (after.status) {
    case 'waiting_approval':
      return 'run.waiting'
    case 'done':
      return 'run.completed'
    case 'failed':
    case 'cancelled':
    case 'interrupted':
      return `run.${after.status}`
    default:
      return null
  }
}
