import type { Caller, Permission } from '../../contract/route.ts'
import type { FileRef } from '../../contract/files.ts'
import type { Policy } from '../chat/ports/policy.ts'
import type { Tools } from '../chat/ports/tools.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'

/** Runs of one call each, in conversations of their own. `chat` implements it, `app` fills it. */
export interface GatewayRuns<Begun> {
  /** Reads what a run of this message needs; the function it returns stores it, last in the transaction of its caller. */
  prepare(
    caller: Caller,
    request: {
      readonly run_id: string
      readonly message: string
      readonly client: string
      readonly asks: readonly Permission[]
    },
  ): Promise<(trx: Trx) => Promise<Begun>>
  begin(run: Begun): void
  /** Stops these runs and waits until they rest. */
  stop(run_ids: readonly string[]): Promise<unknown>
}

export interface GatewayContext<Begun = unknown> {
  readonly db: Database
  readonly log: Log
  readonly runs: GatewayRuns<Begun>
  readonly tools: Pick<Tools, 'list' | 'ready' | 'wording'>
  readonly policy: Pick<Policy, 'forUser'>
  /** The bytes of a file of this user, at most `limit`; null when there are none. */
  readonly readFile: (user_id: string, file: FileRef, limit: number) => Promise<Uint8Array | null>
  /** How many calls a role may begin in a day and in a month; null: no limit. */
  readonly quota: (reader: Reader, role_id: string) => Promise<{ readonly [span in 'day' | 'month']: number | null }>
  /** Called when something could not be stored for want of room. */
  readonly onStorageFull: () => void
  readonly version: string
  /** Milliseconds that an answer waits for the end of a call. */
  readonly hold: number
  /** Aborted when the service stops: nothing waits any longer. */
  readonly closing: AbortSignal
}

/** One request of a client. */
export interface ClientRequest {
  readonly caller: Caller
  readonly asks: readonly Permission[]
  /** The address at which the client reached the service. */
  readonly origin: string
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
}
