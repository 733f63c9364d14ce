import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { adoptBackups } from './install/adopt-backups.ts'
import { sweepStale } from '../process/stale-processes.ts'
import type { CatalogueContext } from './catalogue-context.ts'

/** For anything younger, another process on the same database may still be about to write its row. */
const SAFE_AGE_MS = 60 * 60_000

/**
 * Brings this machine into line with the rows at startup: ends processes left by a killed service, and removes
 * trees and unfinished files that no row refers to, and takes over backups of an older version. Missing trees are unpacked when their module starts.
 */
export async function reconcile(context: CatalogueContext): Promise<void> {
  const processes = join(context.folder, 'processes')
  await mkdir(processes, { recursive: true, mode: 0o700 })
  const ended = await sweepStale(processes)
  if (ended > 0) context.log.warn({ ended }, 'ended modules of a service that was killed')
  const kept = new Set([...context.records().values()].flatMap(({ versions }) => versions.map(({ digest }) => digest)))
  const alone = context.db.dialect.name === 'sqlite'
  await context.trees.sweep((digest) => kept.has(digest), alone ? Infinity : Date.now() - SAFE_AGE_MS)
  await adoptBackups(context)
  await context.shared?.data.sweep()
  await context.shared?.sweep()
  const data = await readdir(context.moduleData).catch(() => [])
  const orphaned = data.filter((name) => !name.startsWith('.') && !context.records().has(name))
  if (orphaned.length > 0) context.log.info({ modules: orphaned }, 'data of modules that are not installed')
}
