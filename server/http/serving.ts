import type { OpenStreams } from './answer/open-streams.ts'
import type { openGate } from './gate.ts'
import type { HttpLog } from './http-log.ts'
import type { OriginRule } from './request/origin.ts'
import type { Revised } from './answer/revised.ts'
import type { SharedLimit } from './request/rate-limit.ts'
import type { Web } from './web.ts'

/** What all routes of a server share. */
export interface Serving {
  readonly admit: ReturnType<typeof openGate>
  readonly origin: OriginRule
  readonly web: Web
  readonly revised: Revised
  readonly log: HttpLog
  readonly checkAnswers: boolean
  /** Counts requests of all processes; null where there is one. */
  readonly sharedLimit: SharedLimit | null
  /** Called when a write failed because there is no room. */
  readonly onStorageFull: (() => void) | undefined
  /** What a client of the gateway without a token is told besides that it needs one; null: nothing. */
  readonly challenge: string | null
  readonly streams: OpenStreams
  readonly stopping: () => boolean
}
