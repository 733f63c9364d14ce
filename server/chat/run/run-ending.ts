import type { Notice } from '../../../contract/chat.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Log } from '../../kernel/log.ts'
import { EngineError } from '../ports/model.ts'
import { failureNotice, NOTICE_TEXTS, runNotice } from '../history/run-notices.ts'
import type { OverBound } from './run-bounds.ts'
import { ProcedureStopped } from './procedure-call.ts'
import type { Change } from './run-store.ts'

/** The warning for the person who stopped a run; the notice of the same code says it in the answer. */
export const OUTCOME_UNKNOWN = NOTICE_TEXTS.outcome_unknown[1]

/** How a run ends early. */
export interface Ending {
  readonly event: 'run_cancelled' | 'run_failed' | 'run_interrupted'
  readonly notice: Notice
  readonly fields?: Change['fields']
}

/** What the signal of a run is aborted with when its time is over. */
export const OVER_TIME = 'over time'

/** Nobody is there who could stop it, so it stops itself. */
export function overBound(what: OverBound): Ending {
  const code = `over_${what}` as const
  return { event: 'run_cancelled', notice: runNotice(code), fields: { error_code: code } }
}

/** How an error in the middle of a run ends it, with the reason in the `language` of the run's owner. */
export function endingOf(
  error: unknown,
  { signal, log, language }: { readonly signal: AbortSignal; readonly log: Log; readonly language: string },
): Ending {
  if (signal.aborted) {
    if (signal.reason === OVER_TIME) return overBound('time')
    return signal.reason === 'cancel'
      ? { event: 'run_cancelled', notice: runNotice('run_cancelled') }
      : { event: 'run_interrupted', notice: runNotice('run_interrupted') }
  }
  if (error instanceof AppError && error.code === 'quota_used_up') {
    const error_detail = error.detail.in(language)
    return {
      event: 'run_failed',
      notice: runNotice('quota_used_up', error_detail),
      fields: { error_code: error.code, error_detail },
    }
  }
  if (error instanceof ProcedureStopped) {
    const error_detail = error.detail.in(language)
    return {
      event: 'run_failed',
      notice: runNotice('procedure_stopped', error_detail),
      fields: { error_code: 'procedure_stopped', error_detail },
    }
  }
  if (error instanceof EngineError) {
    log.warn({ err: error }, 'the engine gave no answer')
    return {
      event: 'run_failed',
      notice: failureNotice(error, language),
      fields: { error_code: error.code, error_detail: error.detail.in(language) },
    }
  }
  log.error({ err: error }, 'run failed')
  return {
    event: 'run_failed',
    notice: runNotice('run_failed'),
    fields: { error_code: 'run_failed', error_detail: null },
  }
}
