import { AppError } from '../kernel/app-error.ts'
import { byteSizeText } from '../kernel/byte-size.ts'
import { say } from '../kernel/sentence.ts'

export function quotaExceeded(quota: number): AppError {
  return new AppError(
    'quota_exceeded',
    say`Your files may take up at most ${byteSizeText(quota)} in total, including deleted ones. Permanently delete some first.`,
  )
}

export function tooLarge(limit: number): AppError {
  return new AppError('payload_too_large', say`A file may have at most ${byteSizeText(limit)}.`, { extra: { limit } })
}
