import { z } from 'zod'
import { json, route } from './route.ts'

const Name = z.string().max(200)
const Words = z.string().max(1000)

/** A variable of a program, or a header of a server at an address. */
const RegistrySetting = z.strictObject({
  name: Name,
  description: Words,
  required: z.boolean(),
  secret: z.boolean(),
  /** What it is unless somebody enters something else. Of a secret there is none. */
  default: Words.nullable(),
  /** If it has any, nothing else may be entered. */
  choices: z.array(Words).max(50),
})
export type RegistrySetting = z.infer<typeof RegistrySetting>

/** What a program is started with, in this order. */
const RegistryArgument = z.strictObject({
  /** Such as `--port`; null: only the value. */
  flag: Name.nullable(),
  /** What stands there, or is proposed. */
  value: Words.nullable(),
  /** Whether it is to stay as it is. */
  fixed: z.boolean(),
  /** What the value is, in a word or two. */
  hint: Name,
  description: Words,
  required: z.boolean(),
  secret: z.boolean(),
  choices: z.array(Words).max(50),
  /** Whether it may be given more than once. */
  repeated: z.boolean(),
})
export type RegistryArgument = z.infer<typeof RegistryArgument>

const settings = z.array(RegistrySetting).max(50)
const started = { settings, arguments: z.array(RegistryArgument).max(50) }

/** How a server can be added here: what `POST /api/module-additions` and `POST /api/modules/remote` are to be told. */
const RegistryWay = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('npm'), name: Name, version: Name.nullable(), ...started }),
  z.strictObject({ kind: z.literal('pypi'), name: Name, version: Name.nullable(), ...started }),
  /** `sha256` is what the registry says of the bundle: to be passed on, so that it is compared. */
  z.strictObject({ kind: z.literal('mcpb'), url: z.string().max(2000), sha256: z.string().length(64) }),
  /** Its settings are headers. */
  z.strictObject({ kind: z.literal('remote'), url: z.string().max(2000), settings }),
])
export type RegistryWay = z.infer<typeof RegistryWay>

export const RegistryServer = z.strictObject({
  name: Name,
  title: Name,
  description: Words,
  version: Name,
  /** Where its source is; an https address. */
  repository: z.string().max(500).nullable(),
  website: z.string().max(500).nullable(),
  /** Its author no longer recommends it. */
  deprecated: z.boolean(),
  ways: z.array(RegistryWay).max(40),
  /** Those that are not possible here, each with the reason. */
  impossible: z.array(z.strictObject({ what: z.string().max(300), why: z.string() })).max(40),
})
export type RegistryServer = z.infer<typeof RegistryServer>

export const moduleRegistry = {
  searchRegistry: route({
    method: 'GET',
    path: '/api/module-registry',
    summary: 'Servers of the MCP registry that have these words in their names. Only the words are sent to it',
    access: 'admin',
    query: z.object({
      search: z.string().trim().max(100).default(''),
      /** The `next_cursor` of the page before; the registry's own. */
      cursor: z.string().max(500).optional(),
    }),
    response: json(
      z.strictObject({
        items: z.array(RegistryServer).max(100),
        next_cursor: z.string().max(500).nullable(),
        /** Its host. */
        registry: z.string(),
      }),
    ),
    errors: ['registry_off', 'registry_failed'],
  }),
}
