import { z } from 'zod'

const Text = z.string()
const Launch = z.looseObject({
  command: z.string().min(1).max(1000),
  args: z.array(z.string()).max(1000).optional(),
  env: z.record(z.string(), z.string()).optional(),
})
const UserConfig = z.looseObject({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: Text,
  description: Text,
  required: z.boolean().optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  multiple: z.boolean().optional(),
  sensitive: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
})

/**
 * `manifest.json` of an MCP Bundle, versions 0.1 to 0.4, checked loosely: unknown parts are kept. Existing bundles
 * often violate the strict schemas, so those are only for authors (`lintManifest`).
 */
export const Manifest = z
  .looseObject({
    manifest_version: z.enum(['0.1', '0.2', '0.3', '0.4']).optional(),
    /** The older name of `manifest_version`. */
    dxt_version: z.enum(['0.1', '0.2', '0.3', '0.4']).optional(),
    name: z.string().min(1).max(200),
    display_name: Text.optional(),
    version: z.string().min(1).max(64),
    description: Text,
    long_description: Text.optional(),
    author: z.looseObject({ name: Text, email: Text.optional(), url: Text.optional() }),
    homepage: Text.optional(),
    documentation: Text.optional(),
    support: Text.optional(),
    license: Text.optional(),
    icon: Text.optional(),
    icons: z.array(z.looseObject({ src: Text, size: Text.optional(), theme: Text.optional() })).optional(),
    server: z.looseObject({
      type: z.enum(['node', 'python', 'binary', 'uv']),
      entry_point: z.string().min(1).max(1000),
      mcp_config: Launch.extend({ platform_overrides: z.record(z.string(), Launch.partial()).optional() }).optional(),
    }),
    tools: z
      .array(z.looseObject({ name: Text, description: Text.optional() }))
      .max(2000)
      .optional(),
    tools_generated: z.boolean().optional(),
    prompts: z
      .array(z.looseObject({ name: Text, description: Text.optional() }))
      .max(2000)
      .optional(),
    compatibility: z
      .looseObject({
        platforms: z.array(z.string()).optional(),
        runtimes: z.looseObject({ node: Text.optional(), python: Text.optional() }).optional(),
      })
      .optional(),
    user_config: z
      .record(
        z
          .string()
          .min(1)
          .max(200)
          .regex(/^[^}\p{Cc}]+$/u)
          // Variables that are added to a launch are kept under such keys (`catalogue/store/stored-extras`).
          .regex(/^(?!env:)/, 'must not begin with env:'),
        UserConfig,
      )
      .optional(),
    _meta: z.record(z.string(), z.unknown()).optional(),
  })
  .refine((manifest) => manifest.manifest_version !== undefined || manifest.dxt_version !== undefined, {
    path: ['manifest_version'],
    error: 'is missing',
  })
export type Manifest = z.infer<typeof Manifest>
