import { z } from 'zod'
import { Timestamp } from './values.ts'

/** `stateless`: each process runs one of its own. `singleton`: one process runs it for all, and keeps its data. */
export const Instances = z.enum(['stateless', 'singleton'])
export type Instances = z.infer<typeof Instances>

/** Whether each process of the installation runs a module of its own or one runs it for all, and where that is. */
export const ModuleRuns = z.strictObject({
  /** What holds: as chosen, else as declared, else `singleton`. */
  instances: Instances,
  /** By its bundle. */
  declared: Instances.nullable(),
  /** By an administrator. */
  chosen: Instances.nullable(),
  /** The process that runs it for all; null: each runs its own, or none does now. */
  owner: z.strictObject({ here: z.boolean(), host: z.string(), since: Timestamp }).nullable(),
  /**
   * The copy of its data that another process would go on with; null when its data folder is used where it is. `problem`:
   * why newer data could not be kept.
   */
  data: z
    .strictObject({ kept_at: Timestamp.nullable(), size: z.int().nullable(), problem: z.string().nullable() })
    .nullable(),
})
export type ModuleRuns = z.infer<typeof ModuleRuns>
