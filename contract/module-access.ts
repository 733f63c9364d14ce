import { z } from 'zod'
import { EffectName, Subject } from './rules.ts'

/**
 * What a module can reach: `own` is what belongs to its caller; `machine` is the machine or what an administrator
 * connected.
 */
export const Reach = z.enum(['own', 'machine'])
export type Reach = z.infer<typeof Reach>

/** A rule of a role about tools of a module. */
export const ModuleRule = z.strictObject({
  role_id: z.string(),
  role: z.string(),
  subject: Subject,
  effect: EffectName,
})
