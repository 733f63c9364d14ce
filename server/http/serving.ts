import type { Caller } from '../../contract/route.ts'
import type { StreamTiming } from './events.ts'
import type { openGate } from './gate.ts'
import type { HttpLog } from './http-log.ts'
import type { OriginRule } from './origin.ts'
import type { Web } from './web.ts'

/** What every route of one server shares. */
export interface Serving {
  readonly admit: ReturnType<typeof openGate>
  readonly stillValid: (caller: Caller) => Promise<boolean>
  readonly origin: OriginRule
  readonly web: Web
  readonly log: HttpLog
  readonly checkAnswers: boolean
  readonly timing: StreamTiming
  /** Ends of the event streams that are open now. */
  readonly streams: Set<() => void>
  readonly stopping: () => boolean
}
