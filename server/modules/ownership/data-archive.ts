import { once } from 'node:events'
import { constants, createWriteStream } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Vault } from '../../kernel/vault.ts'

/** What is kept of the data of one module: more than that is not kept at all, and the page says so. */
export const DATA_BYTES = 256 * 1024 * 1024
export const DATA_ENTRIES = 20_000

const CHUNK = 1024 * 1024
/** A sealed piece with what sealing adds. */
const LONGEST_PIECE = CHUNK + 64
/** A head says less than that: a path has at most 4 KiB. */
const LONGEST_HEAD = 64 * 1024

interface Entry {
  /** Relative, with slashes. */
  readonly path: string
  readonly kind: 'folder' | 'file' | 'link'
  readonly mode: number
  readonly size: number
  /** Milliseconds; with fractions. */
  readonly mtime: number
  /** Where a link leads. */
  readonly to?: string
}

/** The files of a folder at one time. */
export interface FolderContent {
  readonly entries: readonly Entry[]
  readonly bytes: number
}

export class DataTooLarge extends Error {}
export class DataChanged extends Error {}

/**
 * What is in a folder: files, folders and links. Sockets, pipes and devices are left out.
 * @throws {DataTooLarge}
 */
export async function readContent(folder: string): Promise<FolderContent> {
  const entries: Entry[] = []
  let bytes = 0
  const walk = async (path: string): Promise<void> => {
    const names = (await readdir(join(folder, path))).sort()
    for (const name of names) {
      const inside = path === '' ? name : `${path}/${name}`
      const status = await lstat(join(folder, inside)).catch(() => null)
      if (status === null) continue
      const known = { path: inside, mode: status.mode & 0o777, mtime: status.mtimeMs }
      if (status.isDirectory()) entries.push({ ...known, kind: 'folder', size: 0 })
      else if (status.isFile()) entries.push({ ...known, kind: 'file', size: status.size })
      else if (status.isSymbolicLink())
        entries.push({ ...known, kind: 'link', size: 0, to: await readlink(join(folder, inside)) })
      else continue
      bytes += status.isFile() ? status.size : 0
      if (bytes > DATA_BYTES || entries.length > DATA_ENTRIES) throw new DataTooLarge()
      if (status.isDirectory()) await walk(inside)
    }
  }
  await walk('')
  return { entries, bytes }
}

/**
 * The content of a folder as sealed bytes. Each piece is sealed for its place, so that none can be left out, repeated or
 * moved to another module.
 * @throws {DataChanged} when a file is not what `content` says: read it again
 */
export async function* packFolder(
  folder: string,
  content: FolderContent,
  vault: Vault,
  purpose: string,
): AsyncGenerator<Uint8Array> {
  let number = 0
  let left = Buffer.alloc(0)
  const sealed = (bytes: Uint8Array, last: boolean): Buffer => {
    const piece = vault.sealBytes(`${purpose}:${number++}${last ? ':last' : ''}`, bytes)
    const head = Buffer.alloc(4)
    head.writeUInt32BE(piece.length)
    return Buffer.concat([head, piece])
  }
  const plain = Readable.from(entryBytes(folder, content), { objectMode: false })
  const packed = createGzip({ level: 1 })
  plain.on('error', (error) => packed.destroy(error))
  for await (const bytes of plain.pipe(packed)) {
    left = Buffer.concat([left, bytes as Buffer])
    for (; left.length > CHUNK; left = left.subarray(CHUNK)) yield sealed(left.subarray(0, CHUNK), false)
  }
  yield sealed(left, true)
}

async function* entryBytes(folder: string, { entries }: FolderContent): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    const head = Buffer.from(JSON.stringify(entry))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(head.length)
    yield Buffer.concat([length, head])
    if (entry.kind !== 'file' || entry.size === 0) continue
    let size = 0
    try {
      await using file = await openInside(folder, entry.path)
      for await (const bytes of file.createReadStream({ end: entry.size - 1, autoClose: false })) {
        size += (bytes as Buffer).length
        yield bytes as Buffer
      }
    } catch (error) {
      throw new DataChanged(entry.path, { cause: error })
    }
    if (size !== entry.size) throw new DataChanged(entry.path)
  }
}

/** Opens a file where it is said to be: the module may put a link in its place, or in that of a folder, at any time. */
async function openInside(folder: string, path: string): Promise<FileHandle> {
  const file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const real = await realpath(`/proc/self/fd/${file.fd}`)
    if (real !== join(await realpath(folder), path) || !(await file.stat()).isFile()) throw new DataChanged(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Writes what `packFolder` made into an empty folder. Links come last: nothing is written through one. */
export async function unpackFolder(
  folder: string,
  bytes: AsyncIterable<Uint8Array>,
  vault: Vault,
  purpose: string,
): Promise<void> {
  const source = Readable.from(openedPieces(bytes, vault, purpose), { objectMode: false })
  const plain = createGunzip()
  source.on('error', (error) => plain.destroy(error))
  const input = new Pieces(source.pipe(plain))
  const after: Entry[] = []
  for (;;) {
    const length = await input.take(4)
    if (length === null) break
    if (length.readUInt32BE() > LONGEST_HEAD) throw new Error('The kept data is damaged')
    const head = await input.take(length.readUInt32BE())
    const entry = JSON.parse(head!.toString()) as Entry
    const path = join(folder, safe(entry.path))
    if (entry.kind === 'link') after.push(entry)
    else if (entry.kind === 'folder') {
      await mkdir(path, { mode: 0o700 })
      after.push(entry)
    } else await writeEntry(path, entry, input)
  }
  for (const { kind, path, to } of after) if (kind === 'link') await symlink(to!, join(folder, path))
  // From the inside out: writing into a folder changes its time.
  for (const { kind, path, mtime } of after.reverse())
    if (kind === 'folder') await utimes(join(folder, path), mtime / 1000, mtime / 1000)
}

async function writeEntry(path: string, { size, mode, mtime }: Entry, input: Pieces): Promise<void> {
  const out = createWriteStream(path, { flags: 'wx', mode: mode | 0o600 })
  try {
    for await (const piece of input.pass(size))
      if (!out.write(piece)) await Promise.race([once(out, 'drain'), once(out, 'close')])
    out.end()
    await finished(out)
  } finally {
    out.destroy()
  }
  await utimes(path, mtime / 1000, mtime / 1000)
}

async function* openedPieces(bytes: AsyncIterable<Uint8Array>, vault: Vault, purpose: string): AsyncGenerator<Buffer> {
  const input = new Pieces(bytes)
  let number = 0
  let head = await input.take(4)
  while (head !== null) {
    const length = head.readUInt32BE()
    if (length > LONGEST_PIECE) throw new Error('The kept data is damaged')
    const piece = await input.take(length)
    head = await input.take(4)
    yield vault.openBytes(`${purpose}:${number++}${head === null ? ':last' : ''}`, piece!)
  }
  if (number === 0) throw new Error('The kept data is empty')
}

/** Bytes as they are asked for, whatever pieces they come in. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>
  #left: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Exactly `size` bytes; null at the end. */
  async take(size: number): Promise<Buffer | null> {
    const pieces: Buffer[] = []
    for await (const piece of this.pass(size, true)) pieces.push(piece)
    const all = Buffer.concat(pieces)
    if (all.length === size) return all
    if (all.length === 0) return null
    throw new Error('The kept data ends early')
  }

  async *pass(size: number, mayEnd = false): AsyncGenerator<Buffer> {
    for (let missing = size; missing > 0;) {
      if (this.#left.length === 0) {
        const { done, value } = await this.#source.next()
        if (done === true) {
          if (mayEnd) return
          throw new Error('The kept data ends early')
        }
        this.#left = Buffer.from(value)
      }
      const piece = this.#left.subarray(0, missing)
      this.#left = this.#left.subarray(piece.length)
      missing -= piece.length
      if (piece.length > 0) yield piece
    }
  }
}

function safe(path: string): string {
  const parts = path.split('/')
  if (path === '' || path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new Error('The kept data has a path that leads elsewhere')
  return path
}
