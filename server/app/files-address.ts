import { readS3Address, type S3Address } from '../files/s3/s3-address.ts'
import { ConfigError } from './config-error.ts'

/** The store of files that the settings name; null: the data folder. @throws {ConfigError} */
export function filesAddress(url: string, keys: { access: string; secret: string }): S3Address | null {
  if (url === '' && keys.access === '' && keys.secret === '') return null
  if (url === '')
    throw new ConfigError(
      'REEVE_FILES_ACCESS_KEY or REEVE_FILES_SECRET_KEY is set but REEVE_FILES_URL is not: name the store.',
    )
  try {
    return readS3Address(url, keys)
  } catch (error) {
    throw new ConfigError(`REEVE_FILES_URL is not usable: ${(error as Error).message}`, { cause: error })
  }
}
