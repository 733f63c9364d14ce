import { z } from 'zod'
import { Capabilities, Instances } from '../../../../contract/modules.ts'
import type { Manifest } from './manifest.ts'

/** What a bundle can declare to Reeve alone, in its manifest under `_meta["dev.reeve"]`; every part is optional. */
export const ReeveMeta = z.looseObject({
  /**
   * `stateless`: each process of an installation may run one of its own. `singleton`, as without it: there is one for all
   * of them, and its data folder moves with it.
   */
  instances: Instances.optional(),
  /** What it wants to reach besides its own folders. */
  capabilities: Capabilities.partial().optional(),
  /** By key of `user_config`: what that format cannot express. */
  settings: z
    .record(
      z.string(),
      z.looseObject({
        enum: z
          .array(
            z.union([z.string().max(1000), z.looseObject({ value: z.string().max(1000), label: z.string().max(200) })]),
          )
          .min(1)
          .max(500)
          .optional(),
        /** A regular expression that the whole value must match. */
        pattern: z.string().max(500).optional(),
        multiline: z.boolean().optional(),
        group: z.string().max(80).optional(),
        /** Settings are shown in ascending order; those without one come last, in the order of the manifest. */
        order: z.number().optional(),
        /** Shown after the title, such as `seconds`. */
        unit: z.string().max(20).optional(),
      }),
    )
    .optional(),
  /** A tool without arguments that is called to check whether the module works. */
  health: z.looseObject({ tool: z.string().max(128).optional() }).optional(),
  /**
   * What it says about itself in other languages, by language (`de`): the module's own text, exactly as people see it,
   * and its translation. Only people read these; a model reads the module's own texts.
   */
  locales: z
    .record(z.string().regex(/^[a-z]{2}$/), z.record(z.string().min(1).max(50_000), z.string().max(50_000)))
    .optional(),
  /** The oldest version of Reeve that it runs under. */
  min_version: z.string().max(64).optional(),
})
export type ReeveMeta = z.infer<typeof ReeveMeta>

/** The part of a manifest that is for Reeve; empty when there is none. */
export function reeveMeta(manifest: Manifest): ReeveMeta {
  return ReeveMeta.parse(manifest._meta?.['dev.reeve'] ?? {})
}

/** The same as JSON Schema (2020-12), for authors. */
export function reeveMetaSchema(): Record<string, unknown> {
  return z.toJSONSchema(ReeveMeta)
}

/** What the bundle asks for: nothing unless it says so. */
export function declaredCapabilities(manifest: Manifest): Capabilities {
  return { network: 'none', folders: [], commands: [], ...reeveMeta(manifest).capabilities }
}
