import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createInflateRaw, crc32, inflateRaw } from 'node:zlib'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { shownText } from '../manifest/shown-text.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { BundleError } from '../bundle-error.ts'
import { nativeFormat } from './native-format.ts'
import type { LocatedEntry } from './read-archive.ts'
import type { NativeFile } from './unpacked-bundle.ts'

/** An entry of up to this many bytes, packed and unpacked, is inflated in memory in one go. */
const WHOLE_LIMIT = 1024 * 1024
const CHUNK = 256 * 1024
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

export interface WrittenEntry {
  readonly sha256: string
  readonly native: NativeFile | null
}

/**
 * Writes one entry below `folder`, where its name must not exist yet, and checks its size and checksum on the way.
 * @throws {BundleError} `bad_archive` when its data does not match what the archive says.
 */
export async function writeEntry(reader: ArchiveReader, entry: LocatedEntry, folder: string): Promise<WrittenEntry> {
  const hash = createHash('sha256')
  let start: Buffer = Buffer.alloc(0)
  let size = 0
  let checksum = 0
  await using file = await open(join(folder, entry.path), NEW_FILE, entry.executable ? 0o555 : 0o444)
  for await (const chunk of content(reader, entry)) {
    size += chunk.length
    if (size > entry.size) throw damaged(entry, say`is larger than the archive says`)
    if (start.length < 512) start = Buffer.concat([start, chunk.subarray(0, 512 - start.length)])
    checksum = crc32(chunk, checksum)
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  if (size !== entry.size) throw damaged(entry, say`is smaller than the archive says`)
  if (checksum !== entry.crc32) throw damaged(entry, say`is damaged: its checksum does not match`)
  const native = nativeFormat(start)
  // Archives made on other systems have no executable bit.
  if (native?.format === 'elf' || start.subarray(0, 2).toString('latin1') === '#!') await file.chmod(0o555)
  return { sha256: hash.digest('hex'), native: native === null ? null : { path: entry.path, ...native } }
}

async function* content(reader: ArchiveReader, entry: LocatedEntry): AsyncGenerator<Buffer> {
  if (!entry.compressed) yield* packedData(reader, entry)
  else if (entry.compressedSize <= WHOLE_LIMIT && entry.size <= WHOLE_LIMIT) yield await inflateWhole(reader, entry)
  else yield* inflateChunks(reader, entry)
}

async function* packedData(reader: ArchiveReader, entry: LocatedEntry): AsyncGenerator<Buffer> {
  const end = entry.dataStart + entry.compressedSize
  for (let at = entry.dataStart; at < end; at += CHUNK) yield await reader.range(at, Math.min(CHUNK, end - at))
}

async function inflateWhole(reader: ArchiveReader, entry: LocatedEntry): Promise<Buffer> {
  const packed = await reader.range(entry.dataStart, entry.compressedSize)
  // `info` adds the engine, which knows how much of the packed data was used; the types don't declare it.
  const options = { maxOutputLength: Math.max(1, entry.size), info: true }
  return new Promise((resolve, reject) => {
    inflateRaw(packed, options, (error, result: unknown) => {
      if (error !== null) {
        const larger = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        reject(damaged(entry, larger ? say`is larger than the archive says` : say`is damaged and cannot be unpacked`))
        return
      }
      const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } }
      if (engine.bytesWritten !== packed.length) reject(damaged(entry, say`is followed by unknown data`))
      else resolve(buffer)
    })
  })
}

async function* inflateChunks(reader: ArchiveReader, entry: LocatedEntry): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: CHUNK })
  const feed = (async () => {
    for await (const chunk of packedData(reader, entry)) {
      if (inflate.destroyed) return
      if (!inflate.write(chunk)) await drained(inflate)
    }
    inflate.end()
  })().catch((error: unknown) => inflate.destroy(error instanceof Error ? error : new Error(String(error))))
  try {
    for await (const chunk of inflate) yield chunk as Buffer
    if (inflate.bytesWritten !== entry.compressedSize) throw damaged(entry, say`is followed by unknown data`)
  } catch (error) {
    throw error instanceof BundleError ? error : damaged(entry, say`is damaged and cannot be unpacked`)
  } finally {
    inflate.destroy()
    await feed
  }
}

function drained(stream: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}

function damaged(entry: LocatedEntry, problem: Sentence): BundleError {
  const shown = shownText(entry.path)
  return new BundleError('bad_archive', say`The entry “${shown}” ${problem}.`, shown)
}
