import { z } from 'zod'
import { MODULE_SIZE_CEILING } from './module-limits.ts'
import { ModuleParams } from './module-values.ts'
import { json, route } from './route.ts'
import { Id, Ok, Timestamp } from './values.ts'

/** Name of a variable of a program, which becomes a setting of the module. */
const Variable = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/),
  /** Kept sealed where it is a secret; empty: entered later. */
  value: z.string().max(4000).default(''),
  sensitive: z.boolean(),
})

const NpmSource = z.strictObject({
  kind: z.literal('npm'),
  name: z.string().min(1).max(214),
  /** A version, a range or a tag; without it the newest. */
  range: z.string().min(1).max(200).optional(),
  /** For a package of several programs: the one to start. */
  program: z.string().min(1).max(214).optional(),
  args: z.array(z.string().max(1000)).max(100).default([]),
  variables: z.array(Variable).max(50).default([]),
})

/** `name` may have extras (`name[extra]`); `range` is a version, or what pip takes for a range (`>=1.2,<2`). */
const PypiSource = NpmSource.extend({ kind: z.literal('pypi') })

/** The address of a bundle. */
const AddressSource = z.strictObject({
  kind: z.literal('address'),
  url: z.url({ protocol: /^https$/ }).max(2000),
  /** What it has to be, in hexadecimal digits. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})

/**
 * `ended`: the process that did it is gone. `step`: `resolving` finds out which packages are needed, `fetching` gets them
 * (`done` of `total`), `packing` makes the bundle of them, `installing` checks it like any other.
 */
export const ModuleAddition = z.strictObject({
  addition_id: Id,
  /** What was asked for, such as `@scope/name@^1`. */
  source: z.string(),
  state: z.enum(['running', 'done', 'failed', 'cancelled', 'ended']),
  step: z.enum(['resolving', 'fetching', 'packing', 'installing']),
  done: z.int(),
  total: z.int(),
  /** The module that it became; null before that. */
  module: z.string().nullable(),
  problem: z.string().nullable(),
  started_at: Timestamp,
})
export type ModuleAddition = z.infer<typeof ModuleAddition>

export const ModuleUpdate = z.strictObject({
  module: z.string(),
  version: z.string(),
  /** The version that an update would bring; null: this is the newest. */
  newer: z.string().nullable(),
  /** Why that is not known. */
  problem: z.string().nullable(),
})
export type ModuleUpdate = z.infer<typeof ModuleUpdate>

const Begun = z.strictObject({ ok: Ok, addition: ModuleAddition })

/** Modules: fetching and packing them, and newer versions of those that were. */
export const moduleAdditions = {
  addModule: route({
    method: 'POST',
    path: '/api/module-additions',
    summary:
      'Fetch a module by the name of its npm or Python package or the address of its bundle, and install it. Starts no code',
    access: 'admin',
    body: json(z.strictObject({ source: z.discriminatedUnion('kind', [NpmSource, PypiSource, AddressSource]) })),
    response: json(Begun),
    errors: ['too_many_additions'],
  }),
  sendModule: route({
    method: 'POST',
    path: '/api/module-additions/bundle',
    summary:
      'Install an MCP Bundle (the raw body) in the background; one that is started with uv is packed with its packages first. Starts no code',
    access: 'admin',
    headers: z.object({ 'x-module-filename': z.string().max(3000).optional() }),
    query: z.object({ allow_downgrade: z.enum(['true', 'false']).default('false') }),
    // The configured limit applies.
    body: { kind: 'raw', limit: MODULE_SIZE_CEILING },
    response: json(Begun),
    errors: ['bad_module_name', 'bad_archive', 'payload_too_large', 'archive_too_large', 'too_many_additions'],
  }),
  additions: route({
    method: 'GET',
    path: '/api/module-additions',
    summary: 'What is being added and was of late, newest first',
    access: 'admin',
    response: json(
      z.strictObject({
        items: z.array(ModuleAddition),
        /** Host of the registry of npm packages; null: none is asked. */
        registry: z.string().nullable(),
        /** Host of the index of Python packages; null: none is asked. */
        python_index: z.string().nullable().optional(),
        /** Host of the MCP registry that can be searched; null: none. */
        search: z.string().nullable().optional(),
      }),
    ),
    errors: [],
  }),
  cancelAddition: route({
    method: 'POST',
    path: '/api/module-additions/{addition_id}/cancel',
    summary: 'Stop adding a module; what was fetched is removed',
    access: 'admin',
    params: z.object({ addition_id: Id }),
    response: json(Begun),
    errors: ['not_found'],
  }),
  checkUpdates: route({
    method: 'POST',
    path: '/api/modules/updates',
    summary: 'Ask the registry for newer versions of the modules that came from it. Changes nothing',
    access: 'admin',
    response: json(z.strictObject({ items: z.array(ModuleUpdate) })),
    errors: [],
  }),
  updateModule: route({
    method: 'POST',
    path: '/api/modules/{module_name}/update',
    summary: 'Fetch the newest version of a module that came from a registry. It waits for a review before it runs',
    access: 'admin',
    params: ModuleParams,
    response: json(Begun),
    errors: ['not_found', 'not_from_registry', 'too_many_additions'],
  }),
}
