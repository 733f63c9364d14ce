import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type GuardedFetch, GuardedFetchError, openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import { say } from '../../kernel/sentence.ts'
import { storageFailure } from '../../kernel/storage-failure.ts'
import { SourceError } from './source-error.ts'

/**
 * Reaches a registry that an administrator named, which may be in a private network. An answer that leads to another
 * service of this machine or network is no part of it.
 */
export function openRegistryFetch(base: URL, maxBytes: number): GuardedFetch {
  const port = base.port === '' ? (base.protocol === 'https:' ? '443' : '80') : base.port
  const host = base.hostname.replace(/^\[|\]$/g, '')
  return openGuardedFetch({ allowPrivate: (to, _address, at) => to === host && at === port, maxBytes })
}

/** What made fetching fail, as an error of the source: whatever `work` rejects with comes from the network or the disk. */
export async function reached<T>(work: Promise<T>, host: string, signal: AbortSignal): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (signal.aborted || error instanceof SourceError) throw error
    if (storageFailure(error) === 'full') throw noRoom(error)
    if (!(error instanceof GuardedFetchError))
      throw new SourceError('source_unreachable', say`${host} broke off in the middle of its answer.`, { cause: error })
    const code = error.code === 'too_large' ? 'source_too_large' : 'source_unreachable'
    throw new SourceError(code, error.detail, { cause: error })
  }
}

/** Writes the body of an answer to a new file; each part is told to `take`, which may refuse it. */
export async function writeBody(
  { body }: Response,
  file: string,
  { signal, take }: { readonly signal: AbortSignal; take(part: Buffer): void },
): Promise<void> {
  const measure = new Transform({
    transform(part: Buffer, _encoding, done) {
      try {
        take(part)
        done(null, part)
      } catch (error) {
        done(error as Error)
      }
    },
  })
  const parts = body === null ? Readable.from([]) : Readable.fromWeb(body as never)
  await pipeline(parts, measure, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal })
}

export function noRoom(cause: unknown): SourceError {
  return new SourceError(
    'storage_full',
    say`The disk of the service is full, so nothing can be stored. Existing data can still be read. Tell an administrator.`,
    { cause },
  )
}

/** The header that lets somebody in with a token, or with a name and its password. */
export function authorization(token: string): string {
  return token.includes(':') ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`
}
