import type { CatalogueContext } from '../catalogue-context.ts'
import type { ModuleRecord } from '../store/module-record.ts'

const MIB = 1024 * 1024

/** Bytes of memory that the processes of a module may hold together. */
export function memoryLimit(context: Pick<CatalogueContext, 'requirements'>, record: ModuleRecord): number {
  return (record.memory_mib ?? context.requirements().memory_mib) * MIB
}
