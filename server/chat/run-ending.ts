import type { Notice } from '../../contract/chat.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Log } from '../kernel/log.ts'
import { EngineError } from './model.ts'
import { runNotice } from './run-notices.ts'
import type { Change } from './run-store.ts'

/** How a run ends early. */
export interface Ending {
  readonly event: 'run_cancelled' | 'run_failed' | 'run_interrupted'
  readonly notice: Notice
  readonly fields?: Change['fields']
}

/** What an error in the middle of a run means for it. */
export function endingOf(error: unknown, signal: AbortSignal, log: Log): Ending {
  if (signal.aborted) {
    return signal.reason === 'cancel'
      ? { event: 'run_cancelled', notice: runNotice('run_cancelled') }
      : { event: 'run_interrupted', notice: runNotice('run_interrupted') }
  }
  if (error instanceof AppError && error.code === 'quota_used_up') {
    return {
      event: 'run_failed',
      notice: runNotice('quota_used_up', error.message),
      fields: { error_code: error.code, error_detail: error.message },
    }
  }
  if (error instanceof EngineError && (error.kind === 'unavailable' || error.kind === 'rate_limited')) {
    log.warn({ err: error }, 'the engine does not answer')
    return {
      event: 'run_failed',
      notice: runNotice('ai_unavailable', error.message),
      fields: { error_code: 'ai_unavailable', error_detail: error.message },
    }
  }
  log.error({ err: error }, 'run failed')
  const detail = error instanceof EngineError ? error.message : null
  return {
    event: 'run_failed',
    notice: runNotice('run_failed', detail),
    fields: { error_code: 'run_failed', error_detail: detail },
  }
}
