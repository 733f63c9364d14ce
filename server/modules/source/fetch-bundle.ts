import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import { say } from '../../kernel/sentence.ts'
import { reached, writeBody } from './fetching.ts'
import { SourceError } from './source-error.ts'

const LIMIT_MS = 10 * 60_000

export interface WantedBundle {
  readonly url: string
  /** What it has to be, in hexadecimal digits. */
  readonly sha256?: string | undefined
}

export interface FetchOptions {
  /** An existing folder. */
  readonly folder: string
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Milliseconds for all of it; 10 minutes unless given. */
  readonly time_ms?: number
  /** What it is fetched with. */
  readonly open?: typeof openGuardedFetch
}

/**
 * Fetches a bundle by https from an address outside this machine and its networks. `name` is a file name that it can be
 * installed by.
 * @throws {SourceError}, or the reason of the signal
 */
export async function fetchBundle(
  { url, sha256 }: WantedBundle,
  { folder, maxBytes, signal, time_ms = LIMIT_MS, open = openGuardedFetch }: FetchOptions,
): Promise<{ readonly file: string; readonly name: string }> {
  const file = join(folder, 'fetched.mcpb')
  const { host, pathname } = new URL(url)
  const late = AbortSignal.timeout(time_ms)
  const ended = AbortSignal.any([signal, late])
  const hash = createHash('sha256')
  await using guarded = open({ allowPrivate: false, httpsOnly: true, maxBytes })
  try {
    const answer = await reached(guarded.fetch(url, { signal: ended }), host, ended)
    if (!answer.ok || answer.body === null) {
      await answer.body?.cancel()
      throw new SourceError(
        'source_unreachable',
        say`${host} answered ${answer.status} when asked for ${url.replace(/[?#].*$/s, '')}.`,
      )
    }
    const keep = (part: Buffer): void => void hash.update(part)
    await reached(writeBody(answer, file, { signal: ended, take: keep }), host, ended)
  } catch (error) {
    if (late.aborted && !signal.aborted)
      throw new SourceError(
        'source_unreachable',
        say`It took longer than ${Math.round(time_ms / 60_000)} minutes and was given up.`,
        { cause: error },
      )
    throw error
  }
  if (sha256 !== undefined && hash.digest('hex') !== sha256)
    throw new SourceError('source_refused', say`What ${host} sent is not what its digest says. It was thrown away.`)
  const last = pathname
    .split('/')
    .at(-1)!
    .replace(/[^\w.-]/g, '-')
  return { file, name: /^[^.].*\.(?:mcpb|dxt)$/.test(last) ? last : 'fetched.mcpb' }
}
