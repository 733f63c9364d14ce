import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import type { FileRead, ReadOptions, ReadProblem } from '../../modules/machines.ts'

/**
 * Small files that the kernel or the system itself keeps at hand: one blocking call each is ten times as fast as a turn of
 * the thread pool. Others may be on a disk that is slow, or on a network.
 */
const AT_HAND = /^\/(?:proc|sys|run|etc)\//
/** O_NONBLOCK: opening a FIFO must not wait for its writer. */
const READING = constants.O_RDONLY | constants.O_NONBLOCK
const PIECE = 64 * 1024

/** `Machine.readFiles` here. */
export async function readFiles(
  paths: readonly string[],
  { max, tail = false, within }: ReadOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FileRead>> {
  signal.throwIfAborted()
  const read = await Promise.all(
    paths.map(async (path): Promise<[string, FileRead]> => {
      try {
        if (within !== undefined) return [path, await readWithin(within, path, max, tail)]
        if (AT_HAND.test(path) && !tail) return [path, readAtHand(path, max)]
        await using file = await open(path, READING)
        return [path, await readFile(file, max, tail)]
      } catch (error) {
        return [path, readProblem(error)]
      }
    }),
  )
  signal.throwIfAborted()
  return new Map(read)
}

function readAtHand(path: string, max: number): FileRead {
  const file = openSync(path, READING)
  try {
    if (!fstatSync(file).isFile()) return 'not_file'
    const pieces: Buffer[] = []
    let size = 0
    // One byte more than wanted says whether there is more.
    while (size <= max) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, max + 1 - size))
      const length = readSync(file, piece)
      if (length === 0) break
      pieces.push(piece.subarray(0, length))
      size += length
    }
    return firstBytes(pieces, max)
  } finally {
    closeSync(file)
  }
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
