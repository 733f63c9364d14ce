import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import type { FileRead, ReadOptions, ReadProblem } from '../../modules/machines.ts'

/**
 * Small files that the kernel or the system itself keeps at hand, and what stands in the root: a blocking call is ten times
 * as fast as a turn of the thread pool. Others may be on a disk that is slow, or on a network.
 */
const AT_HAND = /^\/(?:(?:proc|sys|run|etc)\/|[^/]+$)/
/** O_NONBLOCK: opening a FIFO must not wait for its writer. */
const READING = constants.O_RDONLY | constants.O_NONBLOCK
const PIECE = 64 * 1024
/** What one blocking read fills and copies from. */
const shared = Buffer.allocUnsafeSlow(PIECE)

/** `Machine.readFiles` here. */
export async function readFiles(
  paths: readonly string[],
  { max, tail = false, within }: ReadOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FileRead>> {
  signal.throwIfAborted()
  const read = new Map<string, FileRead>()
  const reading: Promise<unknown>[] = []
  const later = async (path: string, file: Promise<FileRead>) =>
    read.set(path, await file.catch((error: unknown) => readProblem(error)))
  for (const path of paths) {
    if (within !== undefined) reading.push(later(path, readWithin(within, path, max, tail)))
    else if (AT_HAND.test(path) && !tail) read.set(path, readAtHand(path, max))
    else reading.push(later(path, readAnywhere(path, max, tail)))
  }
  if (reading.length > 0) await Promise.all(reading)
  signal.throwIfAborted()
  return read
}

function readAtHand(path: string, max: number): FileRead {
  let file: number | undefined
  try {
    // Asked first, because half of what is looked for is missing, and an exception costs more than all the rest.
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return 'missing'
    if (!stats.isFile()) return 'not_file'
    file = openSync(path, READING)
    const pieces: Buffer[] = []
    let size = 0
    // One byte more than wanted says whether there is more.
    while (size <= max) {
      const length = readSync(file, shared, 0, Math.min(PIECE, max + 1 - size), null)
      if (length === 0) break
      pieces.push(Buffer.from(shared.subarray(0, length)))
      size += length
    }
    return firstBytes(pieces, max)
  } catch (error) {
    return readProblem(error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

async function readAnywhere(path: string, max: number, tail: boolean): Promise<FileRead> {
  await using file = await open(path, READING)
  return await readFile(file, max, tail)
}

/** Only through directories that are no links, as seen by the file that was really opened. */
async function readWithin(within: string, path: string, max: number, tail: boolean): Promise<FileRead> {
  const root = await realpath(within)
  const wanted = resolve(root, path)
  const below = relative(root, wanted)
  if (below === '..' || below.startsWith('../') || isAbsolute(below)) return 'outside'
  await using file = await open(wanted, READING | constants.O_NOFOLLOW)
  const opened = process.platform === 'linux' ? readlink(`/proc/self/fd/${file.fd}`) : realpath(wanted)
  if ((await opened) !== wanted) return 'link'
  return await readFile(file, max, tail)
}

async function readFile(file: FileHandle, max: number, tail: boolean): Promise<FileRead> {
  const stats = await file.stat()
  if (!stats.isFile()) return 'not_file'
  if (stats.size > 0) {
    const bytes = Buffer.alloc(Math.min(stats.size, max))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, tail ? stats.size - bytes.length : 0)
    return { bytes: bytes.subarray(0, bytesRead), cut: stats.size > max }
  }
  const pieces: Buffer[] = []
  let size = 0
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE)
    const { bytesRead } = await file.read(piece, 0, PIECE, null)
    if (bytesRead === 0) break
    pieces.push(piece.subarray(0, bytesRead))
    size += bytesRead
    if (!tail && size > max) break
    // Nothing before the last `max` bytes is wanted; what is kept stays below twice that.
    while (tail && size - (pieces[0]?.length ?? 0) > max) size -= pieces.shift()?.length ?? 0
  }
  return tail ? lastBytes(pieces, max) : firstBytes(pieces, max)
}

function firstBytes(pieces: readonly Buffer[], max: number): FileRead {
  const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
  return { bytes: bytes.subarray(0, max), cut: bytes.length > max }
}

function lastBytes(pieces: readonly Buffer[], max: number): FileRead {
  const bytes = Buffer.concat(pieces)
  return { bytes: bytes.subarray(Math.max(0, bytes.length - max)), cut: bytes.length > max }
}

const PROBLEMS: Readonly<Record<string, ReadProblem>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ESRCH: 'missing',
  EACCES: 'denied',
  EPERM: 'denied',
  ELOOP: 'link',
  EISDIR: 'not_file',
  ENXIO: 'not_file',
}

export function readProblem(error: unknown): ReadProblem {
  return PROBLEMS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'failed'
}
