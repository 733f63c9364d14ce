import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { BackupEntry } from './backup-manifest.ts'

export interface ArchiveWriter {
  /** The entries added so far. */
  readonly entries: readonly BackupEntry[]
  /**
   * Adds an entry; resolves when all of `bytes` is written. Stored bytes are mostly compressed already: `pack` means to
   * try.
   */
  add(path: string, bytes: AsyncIterable<Uint8Array>, options?: { pack?: boolean }): Promise<BackupEntry>
  /** Adds the last entry and completes the archive on disk. */
  finish(path: string, text: string): Promise<void>
  /** Aborts the archive. Removing its file is up to the caller. */
  abandon(): Promise<void>
}

/** Writes a ZIP archive readable only by its owner, one entry after the other, of any size. */
export function writeArchive(file: string): ArchiveWriter {
  const zip = new ZipFile()
  const entries: BackupEntry[] = []
  const stop = new AbortController()
  const written = pipeline(zip.outputStream, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }), {
    signal: stop.signal,
  })
  // Reported to whoever adds or finishes.
  written.catch(() => undefined)

  return {
    entries,
    async add(path, bytes, { pack = false } = {}) {
      const hash = createHash('sha256')
      let size = 0
      async function* measured(): AsyncGenerator<Uint8Array> {
        for await (const piece of bytes) {
          hash.update(piece)
          size += piece.byteLength
          yield piece
        }
      }
      const source = Readable.from(measured(), { objectMode: false })
      const read = new Promise<void>((done, fail) => source.once('end', done).once('error', fail))
      zip.addReadStreamLazy(path, { compress: pack, mode: 0o100600 }, (give) => give(null, source))
      await Promise.race([read, written.then(() => Promise.reject(new Error('the archive ended early')))])
      const entry = { path, size, sha256: hash.digest('hex') }
      entries.push(entry)
      return entry
    },
    async finish(path, text) {
      zip.addBuffer(Buffer.from(text), path)
      zip.end()
      await written
    },
    async abandon() {
      stop.abort()
      await written.catch(() => undefined)
    },
  }
}
