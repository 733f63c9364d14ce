import type { FileUsage } from '../../contract/files.ts'
import { call } from '../client/api.ts'
import { ApiError } from '../client/api-error.ts'
import { formatBytes } from '../text/format.ts'
import { t } from '../text/i18n.ts'

/** Smaller files are sent without a check: the server refuses them soon enough. */
const WORTH_ASKING = 4 * 1024 * 1024

/**
 * Refuses a file that the server would refuse, before uploading it. @throws {ApiError} payload_too_large,
 * quota_exceeded
 */
export async function refuseLarge(file: Pick<File, 'size'>, signal: AbortSignal): Promise<void> {
  if (file.size < WORTH_ASKING) return
  const usage = await readUsage(signal)
  if (usage === null) return
  const { bytes, limit, file_limit } = usage
  if (file.size > file_limit)
    throw refusal('payload_too_large', t('files.too_large', { limit: formatBytes(file_limit) }))
  if (file.size > limit - bytes)
    throw refusal('quota_exceeded', t('files.no_room', { left: formatBytes(Math.max(0, limit - bytes)) }))
}

/** Null when it cannot be known: then the server decides. */
async function readUsage(signal: AbortSignal): Promise<FileUsage | null> {
  try {
    return (await call('GET /api/files', { query: { limit: 1 }, signal })).usage
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

function refusal(code: 'payload_too_large' | 'quota_exceeded', detail: string): ApiError {
  return new ApiError({ status: 413, code, detail })
}
