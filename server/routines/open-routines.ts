import { sql } from 'kysely'
import { FIRES_KEPT_DAYS } from '../../contract/routine-values.ts'
import { deleteSome, inSteps } from '../db/steps.ts'
import { KnownRoutines } from './known-routines.ts'
import type { RoutinesContext } from './ports.ts'

const DAY = 86_400_000

/** Routines as long as the service runs. What fires them is loaded once there is one. */
export interface OpenedRoutines extends Disposable {
  /** Fires what is due; without any routine it asks the database nothing. */
  readonly tick: (signal: AbortSignal) => Promise<void>
  /** Removes what is too old from the history, and what nobody asks for any more of what protects from firing twice. */
  readonly prune: (signal: AbortSignal) => Promise<void>
}

export async function openRoutines(context: RoutinesContext): Promise<OpenedRoutines> {
  const known = await KnownRoutines.open(context.db)
  let ticked: ((signal: AbortSignal) => Promise<void>) | null = null
  return {
    async tick(signal) {
      if (!known.any) return
      ticked ??= (await import('./tick.ts')).ticking(context)
      await ticked(signal)
    },
    async prune(signal) {
      if (!known.any) return
      const before = (await context.now()) - FIRES_KEPT_DAYS * DAY
      const old = sql`open = 0 and report_until is null and coalesce(repeated_at, created_at) < ${before}`
      await inSteps(context.db, (trx) => deleteSome(trx, 'routine_fire', ['fire_id'], old), signal)
    },
    [Symbol.dispose]: () => known[Symbol.dispose](),
  }
}
