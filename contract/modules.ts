import { z } from 'zod'
import {
  Capabilities,
  Instances,
  Isolation,
  LogLevel,
  MemoryMib,
  MODULE_SIZE_CEILING,
  MODULE_TOOLS_LIMIT,
  ModuleCatalog,
  ModuleChanged,
  ModuleDetail,
  ModuleName,
  ModuleParams,
  ModulePolicy,
  ModuleReview,
  ModuleSettings,
  SettingValue,
  WantedExtras,
} from './module-values.ts'
import { moduleAdditions } from './module-additions.ts'
import { ModuleDiagnostics, ModuleHealth } from './module-diagnostics.ts'
import { moduleRegistry } from './module-registry.ts'
import { moduleIcons } from './module-icons.ts'
import { moduleRemoval } from './module-removal.ts'
import { json, optionalJson, route } from './route.ts'
import { Ok } from './values.ts'

export * from './module-access.ts'
export * from './module-additions.ts'
export * from './module-diagnostics.ts'
export * from './module-values.ts'

const Policy = z.strictObject({ policy: ModulePolicy, isolation: z.array(Isolation) })

/** Modules: for administrators. */
export const modules = {
  list: route({
    method: 'GET',
    path: '/api/modules',
    summary: 'All modules with their states',
    access: 'admin',
    response: json(z.strictObject({ catalog: ModuleCatalog })),
    errors: [],
  }),
  sdk: route({
    method: 'GET',
    path: '/api/modules/sdk-ai',
    summary: 'The kit with which a person or a coding agent writes a module, offline',
    access: 'admin',
    response: { kind: 'file', disposition: 'attachment' },
    errors: ['not_found'],
  }),
  install: route({
    method: 'POST',
    path: '/api/modules/install',
    summary: 'Install or upgrade a module from an MCP Bundle (the raw body). Starts no code',
    access: 'admin',
    headers: z.object({ 'x-module-filename': z.string().max(3000).optional() }),
    query: z.object({ allow_downgrade: z.enum(['true', 'false']).default('false') }),
    // The configured limit applies.
    body: { kind: 'raw', limit: MODULE_SIZE_CEILING },
    response: json(
      z.strictObject({
        ok: Ok,
        module: ModuleDetail,
        review: ModuleReview,
        previous_version: z.string().nullable(),
        restart_required: z.literal(false),
      }),
    ),
    errors: [
      'bad_module_name',
      'bad_archive',
      'bad_manifest',
      'module_incompatible',
      'uv_bundle',
      'same_version',
      'downgrade',
      'publisher_changed',
      'name_of_builtin',
      'module_exists',
      'module_busy',
      'payload_too_large',
      'archive_too_large',
    ],
  }),
  addRemote: route({
    method: 'POST',
    path: '/api/modules/remote',
    summary: 'Add an MCP server by its address (Streamable HTTP)',
    access: 'admin',
    body: json(
      z.strictObject({
        name: ModuleName,
        display_name: z.string().trim().min(1).max(80).optional(),
        url: z.url({ protocol: /^https?$/ }).max(2000),
        /** Sent as `Authorization: Bearer …`; kept sealed. */
        token: z.string().min(1).max(4000).optional(),
        /** Sent with each request, one in a line (`Name: value`); kept sealed. */
        headers: z.string().min(1).max(16_000).optional(),
        /** It is connected by OAuth, before it is enabled: once for everybody, or by each person. */
        sign_in: z.enum(['shared', 'person']).optional(),
        /** Addresses of this machine and of private networks are refused unless this is set. */
        allow_private: z.boolean().default(false),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, module: ModuleDetail, catalog: ModuleCatalog })),
    errors: ['module_exists', 'name_of_builtin', 'bad_module_url'],
  }),
  module: route({
    method: 'GET',
    path: '/api/modules/{module_name}',
    summary: 'One module with its tools, versions, log and history',
    access: 'admin',
    params: ModuleParams,
    response: json(z.strictObject({ module: ModuleDetail })),
    errors: ['not_found'],
  }),
  icon: route({
    method: 'GET',
    path: '/api/modules/{module_name}/icon',
    summary: 'The icon of a module (PNG)',
    access: 'admin',
    params: ModuleParams,
    query: z.object({ theme: z.enum(['light', 'dark']).optional() }),
    response: { kind: 'file', disposition: 'inline' },
    errors: ['not_found'],
  }),
  settings: route({
    method: 'GET',
    path: '/api/modules/{module_name}/settings',
    summary: 'The settings of a module; secrets only as set or not',
    access: 'admin',
    params: ModuleParams,
    response: json(z.strictObject({ settings: ModuleSettings })),
    errors: ['not_found'],
  }),
  saveSettings: route({
    method: 'PUT',
    path: '/api/modules/{module_name}/settings',
    summary: 'Change settings; what is not named stays. Applied to the running module at once',
    access: 'admin',
    params: ModuleParams,
    body: json(
      z.strictObject({
        values: z.record(z.string().max(200), SettingValue).default({}),
        clear_fields: z.array(z.string().max(200)).max(500).default([]),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, settings: ModuleSettings, restart_required: z.boolean() })),
    errors: ['not_found', 'invalid_request', 'module_busy'],
  }),
  health: route({
    method: 'POST',
    path: '/api/modules/{module_name}/health',
    summary: 'Probe a module now',
    access: 'admin',
    params: ModuleParams,
    response: json(z.strictObject({ ok: Ok, health: ModuleHealth })),
    errors: ['not_found'],
  }),
  diagnostics: route({
    method: 'GET',
    path: '/api/modules/{module_name}/diagnostics',
    summary: 'Everything that helps to find a fault; secrets masked',
    access: 'admin',
    params: ModuleParams,
    response: json(z.strictObject({ ok: Ok, module: ModuleDiagnostics })),
    errors: ['not_found'],
  }),
  enable: route({
    method: 'POST',
    path: '/api/modules/{module_name}/enable',
    summary: 'Agree to what the module runs and reaches, and start it. Without grants it may reach what it declares',
    access: 'admin',
    params: ModuleParams,
    body: optionalJson(
      z.strictObject({
        grants: Capabilities.optional(),
        /** Replaces what is added to the launch of a bundle; left out, it stays. */
        extras: WantedExtras.optional(),
        /** Digest of the reviewed version; 409 if it is a different one by now. */
        digest: z.string().max(100).optional(),
      }),
    ),
    response: json(ModuleChanged),
    errors: [
      'not_found',
      'module_busy',
      'module_start_failed',
      'module_incompatible',
      'isolation_too_weak',
      'module_changed',
      'not_a_bundle',
      'invalid_request',
    ],
  }),
  disable: route({
    method: 'POST',
    path: '/api/modules/{module_name}/disable',
    summary: 'Stop a module and keep it stopped',
    access: 'admin',
    params: ModuleParams,
    response: json(ModuleChanged),
    errors: ['not_found', 'module_busy', 'module_stop_failed', 'last_module'],
  }),
  agree: route({
    method: 'POST',
    path: '/api/modules/{module_name}/tools/agree',
    summary: 'Agree to tools, and to what the module says about them, as they are now, so that they count again',
    access: 'admin',
    params: ModuleParams,
    body: json(
      z.strictObject({
        tools: z
          .array(z.strictObject({ name: z.string().max(128), definition_hash: z.string().max(100) }))
          .max(MODULE_TOOLS_LIMIT),
        /** The hash of its instructions, to agree to them. */
        instructions: z.string().max(100).optional(),
      }),
    ),
    response: json(ModuleChanged),
    errors: ['not_found', 'module_changed'],
  }),
  saveLimits: route({
    method: 'PUT',
    path: '/api/modules/{module_name}/limits',
    summary:
      'Give a bundle a limit of memory of its own, or with null the one that holds for all. A running module starts again',
    access: 'admin',
    params: ModuleParams,
    body: json(z.strictObject({ memory_mib: MemoryMib.nullable() })),
    response: json(ModuleChanged),
    errors: ['not_found', 'not_a_bundle', 'module_busy'],
  }),
  saveInstances: route({
    method: 'PUT',
    path: '/api/modules/{module_name}/instances',
    summary:
      'Choose whether each process runs a bundle of its own (`stateless`) or one for all of them (`singleton`); null: as the bundle says',
    access: 'admin',
    params: ModuleParams,
    body: json(z.strictObject({ instances: Instances.nullable() })),
    response: json(ModuleChanged),
    errors: ['not_found', 'not_a_bundle', 'module_busy'],
  }),
  saveLogLevel: route({
    method: 'PUT',
    path: '/api/modules/{module_name}/log-level',
    summary:
      'Choose from which level on a module tells what it does in its log, without a restart; null: as it decides',
    access: 'admin',
    params: ModuleParams,
    body: json(z.strictObject({ log_level: LogLevel.nullable() })),
    response: json(ModuleChanged),
    errors: ['not_found', 'invalid_request'],
  }),
  repair: route({
    method: 'POST',
    path: '/api/modules/{module_name}/repair',
    summary: 'Unpack the installed version again, as it was installed',
    access: 'admin',
    params: ModuleParams,
    response: json(ModuleChanged),
    errors: ['not_found', 'module_busy', 'module_package_missing'],
  }),
  rollback: route({
    method: 'POST',
    path: '/api/modules/{module_name}/rollback',
    summary: 'Go back to a kept version: the one named, else the one before',
    access: 'admin',
    params: ModuleParams,
    body: optionalJson(z.strictObject({ digest: z.string().max(100).optional() })),
    response: json(ModuleChanged),
    errors: ['not_found', 'module_busy', 'no_previous_version', 'module_package_missing'],
  }),
  policy: route({
    method: 'GET',
    path: '/api/modules/policy',
    summary:
      'What holds for every installed module: least isolation, memory, trusted signers; and what this machine can do',
    access: 'admin',
    response: json(Policy),
    errors: [],
  }),
  savePolicy: route({
    method: 'PUT',
    path: '/api/modules/policy',
    summary: 'Change what holds for every installed module; modules that no longer fit are stopped',
    access: 'admin',
    body: json(ModulePolicy),
    response: json(Policy.extend({ ok: Ok })),
    errors: [],
  }),
  ...moduleAdditions,
  ...moduleRegistry,
  ...moduleIcons,
  ...moduleRemoval,
}
