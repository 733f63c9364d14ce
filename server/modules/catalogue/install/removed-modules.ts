import type { CatalogueContext } from '../catalogue-context.ts'
import type { Backup } from './backups.ts'

/** Backups of modules that are not installed now, newest first; for a removed built-in only the newest. */
export async function removedModules(context: CatalogueContext): Promise<Backup[]> {
  const all = await context.backups.list()
  return all.filter(({ name, builtin }, index) => {
    const record = context.records().get(name)
    if (!builtin) return record === undefined
    return record?.removed === true && all.findIndex((other) => other.builtin && other.name === name) === index
  })
}
