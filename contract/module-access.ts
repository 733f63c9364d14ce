import { z } from 'zod'
import { RuleSpec } from './rule-conditions.ts'
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
  /** What it says besides, such as its conditions; empty for most. */
  spec: RuleSpec,
})
