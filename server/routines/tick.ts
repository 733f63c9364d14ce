import { dueRoutines, fireDue, retime } from './fire-due.ts'
import { endWithReport, owedReports } from './owed-reports.ts'
import type { RoutinesContext } from './ports.ts'
import { endedFires, settle, startWaiting, waitingFires } from './settle.ts'

/**
 * What every process does for all, again and again: counts runs that have ended, starts what waits for them, fires what is
 * due, and makes the reports that are owed. There is no leader; what one process has done another finds done, under the
 * lock of the routine.
 */
export function ticking(context: RoutinesContext): (signal: AbortSignal) => Promise<void> {
  let isRetimed = false
  const alone = async (routine_id: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      // The next look tries again, and one that fails holds up no other.
      context.log.error({ err: error, routine_id }, 'a look at a routine failed')
    }
  }
  return async (signal) => {
    const now = await context.now()
    if (!isRetimed) {
      await retime(context, now)
      isRetimed = true
    }
    for (const ended of await endedFires(context)) {
      if (signal.aborted) return
      await alone(ended.routine_id, () => settle(context, ended))
    }
    for (const waiting of await waitingFires(context)) {
      if (signal.aborted) return
      await alone(waiting.routine_id, () => startWaiting(context, waiting))
    }
    for (const routine of await dueRoutines(context, now)) {
      if (signal.aborted) return
      await alone(routine.routine_id, () => fireDue(context, routine, now))
    }
    // Last, as they take the longest.
    for (const owed of await owedReports(context, now)) {
      if (signal.aborted) return
      await alone(owed.routine_id, () => endWithReport(context, owed, { now, signal }))
    }
  }
}
