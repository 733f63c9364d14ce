import { ApiError } from './api-error.ts'
import { t, tIfKnown } from '../text/i18n.ts'
import { formatDuration } from '../text/format.ts'

/**
 * Why something failed, as a sentence for the reader: the catalogue's text for the error code (`error.<code>`), else
 * the server's detail, else a generic text. Codes whose detail says more than a catalogue text could have no entry.
 */
export function explainError(error: unknown): string {
  if (!(error instanceof ApiError)) return t('error.unexpected')
  if (error.status === 429 && error.code !== 'quota_used_up' && error.retryAfter !== null && error.retryAfter > 0) {
    return t('error.retry_after', { time: formatDuration(error.retryAfter * 1000) })
  }
  const fields = error.errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  if (error.code === 'invalid_request' && fields.length > 0)
    return t('error.invalid_fields', { fields: fields.join('; ') })
  return tIfKnown(`error.${error.code}`) ?? (error.detail === '' ? t('error.unexpected') : error.detail)
}

/** Whether the same request may succeed shortly. */
export function isWorthRetrying(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500
}
