import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../kernel/sentence.ts'
import { layInto, takeOut, type Room } from '../../sandbox/readers.ts'
import { TableError } from '../shape/table-error.ts'
import type { StoredSheet, TableJob } from '../shape/table-job.ts'

/**
 * The job as an isolated worker gets it: its input files are in its room, and so is its output. @throws {TableError}
 * stale, failed
 */
export async function enterRoom<Job extends TableJob>(room: Room | null, job: Job): Promise<Job> {
  return room === null ? job : ((await moved(room, job)) as Job)
}

/** Moves what the worker made out of its room. */
export async function leaveRoom(room: Room | null, job: TableJob, inside: TableJob): Promise<void> {
  if (room === null) return
  if (job.kind === 'order' && inside.kind === 'order') return takeOut(inside.out, job.out)
  if (job.kind !== 'prepare' || inside.kind !== 'prepare') return
  for (const name of await readdir(inside.out)) await takeOut(join(inside.out, name), join(job.out, name))
}

async function moved(room: Room, job: TableJob): Promise<TableJob> {
  const scratch = room.work
  switch (job.kind) {
    case 'prepare': {
      const out = join(scratch, 'out')
      await mkdir(out)
      return { ...job, scratch, out, path: await content(room, job.path) }
    }
    case 'preview':
      return { ...job, scratch, path: await content(room, job.path) }
    case 'page': {
      const { file } = await cached(room, job.sheet)
      const order = job.order === undefined ? undefined : await layInto(room, job.order)
      return { ...job, scratch, sheet: { ...job.sheet, file }, order }
    }
    case 'chart':
      return { ...job, scratch, sheet: await cached(room, job.sheet) }
    case 'order':
      return { ...job, scratch, sheet: await cached(room, job.sheet), out: join(scratch, 'order') }
    case 'export_rows':
      return { ...job, scratch }
    case 'export': {
      const sheets = job.sheets.map(async (each) => ({ ...each, sheet: await cached(room, each.sheet) }))
      return { ...job, scratch, sheets: await Promise.all(sheets) }
    }
    case 'query': {
      const sources = job.sources.map(async (source) => ({ ...source, sheet: await cached(room, source.sheet) }))
      return { ...job, scratch, sources: await Promise.all(sources) }
    }
  }
}

async function content(room: Room, path: string): Promise<string> {
  try {
    return await layInto(room, path)
  } catch (cause) {
    const error = new TableError('failed', say`The content of this file is missing from the storage.`)
    throw Object.assign(error, { cause })
  }
}

async function cached(room: Room, sheet: StoredSheet): Promise<StoredSheet> {
  try {
    return { ...sheet, file: await layInto(room, sheet.file) }
  } catch (cause) {
    throw Object.assign(new TableError('stale', say`The cached form of this table cannot be opened.`), { cause })
  }
}
