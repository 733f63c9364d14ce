import type { Caller } from '../../contract/route.ts'
import type { StreamTiming } from './answer/events.ts'
import type { openGate } from './gate.ts'
import type { HttpLog } from './http-log.ts'
import type { OriginRule } from './request/origin.ts'
import type { Revised } from './answer/revised.ts'
import type { Web } from './web.ts'

/** What all routes of a server share. */
export interface Serving {
  readonly admit: ReturnType<typeof openGate>
  readonly stillValid: (caller: Caller) => Promise<boolean>
  readonly origin: OriginRule
  readonly web: Web
  readonly revised: Revised
  readonly log: HttpLog
  readonly checkAnswers: boolean
  /** Called when a write failed because there is no room. */
  readonly onStorageFull: (() => void) | undefined
  readonly timing: StreamTiming
  /** Functions that end the open event streams. */
  readonly streams: Set<() => void>
  readonly stopping: () => boolean
}
