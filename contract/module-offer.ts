import { z } from 'zod'
import { IconAddresses } from './icons.ts'
import { ToolEffect } from './messages.ts'

export const ModuleTool = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  icon: IconAddresses.optional(),
  /** What the module claims; only trusted for built-ins. */
  effect: ToolEffect,
  definition_hash: z.string(),
  /**
   * `agreed`: as it was when the module was enabled. `changed` and `new` ask until they are agreed to; `missing`: no
   * longer offered.
   */
  pin: z.enum(['agreed', 'changed', 'new', 'missing']),
  /** What its definition takes of an engine's context, about; 0: it is not offered any more. */
  tokens: z.int(),
  input_schema: z.record(z.string(), z.unknown()),
})
export type ModuleTool = z.infer<typeof ModuleTool>

/** What a module says about its tools as a whole, to engines: its own words, at most 2 KiB of them. */
export const ModuleInstructions = z.strictObject({
  text: z.string(),
  /** Of all of them. */
  hash: z.string(),
  /** As of a tool: what is not agreed to is not passed on. */
  pin: z.enum(['agreed', 'changed', 'new']),
})
export type ModuleInstructions = z.infer<typeof ModuleInstructions>
