import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { say } from '../../../kernel/sentence.ts'
import { storageFailure } from '../../../kernel/storage-failure.ts'
import { pathProblem } from '../../bundle/archive/entry-path.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { noRoom } from '../fetching.ts'
import { SourceError } from '../source-error.ts'

/** Counts what is unpacked; each throws once its limit is reached. */
export interface UnpackBudget {
  bytes(count: number): void
  file(): void
}

/**
 * Writes the files of a package's archive, without its first folder, into `folder`. Nothing but files and folders is
 * taken, so nothing that is written can lead anywhere else.
 * @throws {SourceError}
 */
export async function unpackPackage(
  archive: string,
  folder: string,
  { name, budget, signal }: { readonly name: string; readonly budget: UnpackBudget; readonly signal: AbortSignal },
): Promise<void> {
  // Everything that comes out of the compression counts, or headers alone could go on without end.
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        budget.bytes(chunk.length)
        done(null, chunk)
      } catch (error) {
        done(error as Error)
      }
    },
  })
  const entries = extract()
  const feeding = pipeline(createReadStream(archive), createGunzip(), measure, entries, { signal })
  feeding.catch(() => undefined)
  try {
    for await (const entry of entries) {
      const path = pathIn(name, entry.header)
      if (path === null) {
        entry.resume()
        continue
      }
      budget.file()
      const out = join(folder, path)
      await mkdir(dirname(out), { recursive: true })
      const mode = ((entry.header.mode ?? 0) & 0o111) === 0 ? 0o644 : 0o755
      await pipeline(entry, createWriteStream(out, { mode }), { signal })
    }
    await feeding
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SourceError) throw error
    const cause = await feeding.then(
      () => error,
      (first: unknown) => first,
    )
    if (cause instanceof SourceError) throw cause
    if (storageFailure(cause) === 'full' || storageFailure(error) === 'full') throw noRoom(cause)
    throw new SourceError('source_refused', say`The archive of ${name} cannot be unpacked.`, { cause })
  }
}

/** The path of an entry's file; null for what is no file but may be there. */
function pathIn(
  name: string,
  { name: raw, type }: { readonly name: string; readonly type?: string | null | undefined },
): string | null {
  const refuse = (problem: ReturnType<typeof pathProblem>): never => {
    throw new SourceError('source_refused', say`In the archive of ${name}, “${shownText(raw)}” ${problem ?? ''}.`)
  }
  const plain = raw.replace(/^(?:\.\/)+/, '')
  const problem = pathProblem(plain.endsWith('/') ? plain.slice(0, -1) : plain)
  if (type === 'pax-global-header' || type === 'directory')
    return problem === null || plain === '' ? null : refuse(problem)
  if (problem !== null) refuse(problem)
  if (type === 'symlink') refuse(say`is a symbolic link`)
  if (type !== 'file' && type !== 'contiguous-file') refuse(say`is neither a file nor a folder`)
  const slash = plain.indexOf('/')
  return slash === -1 ? refuse(say`has no name`) : plain.slice(slash + 1)
}
