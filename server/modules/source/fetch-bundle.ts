import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MODULE_SIZE_LIMIT } from '../../../contract/modules.ts'
import { GuardedFetchError, openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import { say } from '../../kernel/sentence.ts'
import { SourceError } from './source-error.ts'

/**
 * Fetches a bundle from an address outside this machine and its networks. `name` is a file name that it can be installed by.
 * @throws {SourceError}
 */
export async function fetchBundle(
  url: string,
  folder: string,
  signal: AbortSignal,
): Promise<{ readonly file: string; readonly name: string }> {
  const file = join(folder, 'fetched.mcpb')
  await using guarded = openGuardedFetch({ allowPrivate: false, maxBytes: MODULE_SIZE_LIMIT })
  try {
    const answer = await guarded.fetch(url, { signal })
    if (!answer.ok || answer.body === null) {
      await answer.body?.cancel()
      const { host } = new URL(url)
      throw new SourceError(
        'source_unreachable',
        say`${host} answered ${answer.status} when asked for ${url.replace(/[?#].*$/s, '')}.`,
      )
    }
    await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file, { flags: 'wx', mode: 0o600 }), {
      signal,
    })
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error
    throw new SourceError('source_unreachable', error.detail, { cause: error })
  }
  const last = new URL(url).pathname
    .split('/')
    .at(-1)!
    .replace(/[^\w.-]/g, '-')
  return { file, name: /^[^.].*\.(?:mcpb|dxt)$/.test(last) ? last : 'fetched.mcpb' }
}
