import { constants } from 'node:fs'
import { open, readdir, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'

const ROOT = '/var/log'
const READ_LIMIT = 1024 * 1024
/** A search reads more of the file than it shows. */
const SEARCH_LIMIT = 16 * 1024 * 1024
const LINE_LIMIT = 2000

/**
 * The last lines of a text file below /var/log, oldest first. No symbolic link in any part of the path is followed.
 * @throws {Error} with a sentence when the name leads elsewhere or there is no such text file
 */
export async function readLogFile(
  name: string,
  lines: number,
  contains: string | undefined,
): Promise<{ lines: string[]; path: string; searched_whole: boolean }> {
  const root = await realpath(ROOT)
  const wanted = path.resolve(root, name.startsWith(`${ROOT}/`) ? name.slice(ROOT.length + 1) : name)
  if (!wanted.startsWith(`${root}/`) || name.includes('\0')) throw new Error(`Only files below ${ROOT} can be read.`)
  // O_NONBLOCK: opening a FIFO must not wait for its writer.
  const file = await open(wanted, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(`${name} cannot be read: ${reason(error.code)}.`)
    },
  )
  try {
    // The path that was actually opened, which reveals a link within it.
    if ((await readlink(`/proc/self/fd/${file.fd}`)) !== wanted)
      throw new Error(`${name} is reached by a symbolic link, which is not followed.`)
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(`${name} is not a plain file.`)
    const length = Math.min(stats.size, contains === undefined ? READ_LIMIT : SEARCH_LIMIT)
    const buffer = Buffer.alloc(length)
    const { bytesRead } = await file.read(buffer, 0, length, stats.size - length)
    if (buffer.subarray(0, bytesRead).includes(0) || /\.(gz|xz|bz2|zst)$/.test(wanted))
      throw new Error(`${name} is not a text file.`)
    const all = buffer.toString('utf8', 0, bytesRead).split('\n')
    if (all.at(-1) === '') all.pop()
    // The first line is incomplete if reading began in the middle of the file.
    if (length < stats.size) all.shift()
    const searched = contains?.toLowerCase()
    const found = all.filter((line) => searched === undefined || line.toLowerCase().includes(searched))
    return {
      lines: found.slice(-lines).map((line) => line.slice(0, LINE_LIMIT)),
      path: wanted,
      searched_whole: length === stats.size,
    }
  } finally {
    await file.close()
  }
}

/** Names of the plain files below /var/log, at most 200. */
export async function listLogFiles(): Promise<string[]> {
  const entries = await readdir(ROOT, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && !/\.(gz|xz|bz2|zst|journal)$/.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort()
    .slice(0, 200)
}

function reason(code: string | undefined): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file'
  if (code === 'ELOOP') return 'it is a symbolic link, which is not followed'
  if (code === 'EACCES' || code === 'EPERM') return "this service's user may not read it"
  return code ?? 'unknown error'
}
