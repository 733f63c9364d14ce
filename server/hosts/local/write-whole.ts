import { createHash, randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { WriteOptions, WriteOutcome } from '../../modules/machines.ts'

const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const NEW_MODE = 0o600

/** `Machine.write` here. */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  { if_hash, mode }: WriteOptions,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const beside = join(dirname(path), `.${basename(path).slice(0, 200)}.${randomBytes(8).toString('hex')}`)
  try {
    const old = await readOld(path)
    if (old === 'not_file') return { kind: 'failed', why: 'not_file', detail: 'It is not a plain file.' }
    if ((old?.hash ?? null) !== if_hash) return { kind: 'changed', hash: old?.hash ?? null }
    await writeBeside(beside, bytes, old?.stats ?? null, mode)
    if (signal.aborted) return { kind: 'lost', lost: 'not_started', message: 'It was stopped before it began.' }
    if (old === null) {
      // Unlike a rename, a link never replaces what somebody else has put there meanwhile.
      await link(beside, path)
    } else {
      const now = await readOld(path)
      if (now === 'not_file' || now?.hash !== old.hash)
        return { kind: 'changed', hash: now === 'not_file' ? null : (now?.hash ?? null) }
      await rename(beside, path)
    }
    await syncDirectory(dirname(path))
    return { kind: 'written', hash: createHash('sha256').update(bytes).digest('hex') }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return { kind: 'changed', hash: await hashNow(path) }
    return { kind: 'failed', why: WHY[code] ?? 'other', detail: message }
  } finally {
    await rm(beside, { force: true }).catch(() => undefined)
  }
}

type Why = (WriteOutcome & { kind: 'failed' })['why']
const WHY: Readonly<Record<string, Why>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ELOOP: 'link',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
}

/** Null when there is nothing. */
async function readOld(path: string): Promise<{ hash: string; stats: Stats } | 'not_file' | null> {
  let file: FileHandle
  try {
    file = await open(path, READING)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
  await using opened = file
  const stats = await opened.stat()
  if (!stats.isFile()) return 'not_file'
  const hash = createHash('sha256')
  for await (const piece of opened.createReadStream({ autoClose: false })) hash.update(piece as Buffer)
  return { hash: hash.digest('hex'), stats }
}

async function hashNow(path: string): Promise<string | null> {
  const now = await readOld(path).catch(() => null)
  return now === null || now === 'not_file' ? null : now.hash
}

async function writeBeside(
  path: string,
  bytes: Uint8Array,
  old: Stats | null,
  mode: number | undefined,
): Promise<void> {
  await using file = await open(path, 'wx', NEW_MODE)
  await file.writeFile(bytes)
  const own = await file.stat()
  if (old !== null && (own.uid !== old.uid || own.gid !== old.gid)) await file.chown(old.uid, old.gid)
  // After the owner, which takes setuid and setgid away.
  await file.chmod(mode ?? (old === null ? NEW_MODE : old.mode & 0o7777))
  await file.sync()
}

/** So that the new name survives a power cut as well as the bytes do; it is there in any case. */
async function syncDirectory(path: string): Promise<void> {
  try {
    await using folder = await open(path, constants.O_RDONLY)
    await folder.sync()
  } catch {
    // A directory that may be written but not read.
  }
}
