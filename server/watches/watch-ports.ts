import type { WatchFigure } from '../../contract/watch-values.ts'
import type { Trx } from '../db/database.ts'
import type { Sentence } from '../kernel/sentence.ts'

/** Starts a routine, once per key. `routines` implements it, `app` fills it. */
export type StartRoutine = (input: {
  readonly routine_id: string
  readonly key: string
  readonly facts: Record<string, unknown>
}) => Promise<'started' | 'queued' | 'skipped' | 'refused'>

/** Routines, as far as watches need them. */
export interface WatchRoutines {
  readonly start: StartRoutine
  /** Those of a person. */
  readonly of: (user_id: string) => Promise<readonly { readonly routine_id: string; readonly name: string }[]>
}

/** What is known of a figure: its number, or why there is none. */
export type Figured = number | Sentence

/** The figures of the control room. `app` fills it. */
export interface Figures {
  /** Of the installation; null: it has nothing that this could be told of. */
  installation(figure: WatchFigure): Promise<Figured | null>
  /**
   * Of machines, by id: what was sampled or asked a moment ago is not asked again. A machine that is missing in the answer
   * was not asked, because the look was stopped.
   */
  machines(figure: WatchFigure, host_ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Figured>>
}

/** Tells whoever sees a watch that it has changed: its owner, or (null) all administrators. The last thing in a transaction. */
export type TellWatchChange = (trx: Trx, user_id: string | null, watch_id: string) => Promise<void>
