import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

export interface ZipSource {
  /** Relative to the folder, with `/`. */
  readonly path: string
  readonly executable: boolean
}

/**
 * Writes files of `folder` into the new zip `out`: the same files in the same order give the same bytes. `digest` is
 * SHA-256 in hexadecimal digits.
 */
export async function writeZip(
  folder: string,
  files: readonly ZipSource[],
  out: string,
): Promise<{ digest: string; size: number }> {
  // Any fixed time will do; archives store local time, so this gives the same bytes in every time zone.
  const mtime = new Date(1990, 0, 1)
  const zip = new ZipFile()
  for (const { path, executable } of files) {
    const options = { mtime, mode: executable ? 0o100755 : 0o100644, forceDosTimestamp: true }
    zip.addReadStreamLazy(path, options, (give) => give(null, createReadStream(join(folder, path))))
  }
  zip.end()
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  // yazl reports an unreadable file on itself, not on its stream.
  zip.on('error', (error: Error) => measure.destroy(error))
  await pipeline(zip.outputStream, measure, createWriteStream(out, { flags: 'wx' }))
  return { digest: hash.digest('hex'), size }
}
