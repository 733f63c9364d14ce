import { z } from 'zod'
import { ModuleChanged, ModuleParams } from './module-values.ts'
import { json, optionalJson, route } from './route.ts'
import { Ok, Timestamp } from './values.ts'

/** Modules: removal, backups and restoring. */
export const moduleRemoval = {
  uninstall: route({
    method: 'POST',
    path: '/api/modules/{module_name}/uninstall',
    summary: 'Remove an installed module; its bundle is kept as a backup, its data unless asked for',
    access: 'admin',
    params: ModuleParams,
    body: optionalJson(z.strictObject({ delete_data: z.boolean().default(false) })),
    response: json(
      z.strictObject({
        ok: Ok,
        id: z.string(),
        removed: z.array(z.string()),
        kept: z.array(z.string()),
        /** File name of the bundle in the backups; null when there is none (a remote module). */
        backup: z.string().nullable(),
      }),
    ),
    errors: ['not_found', 'module_is_builtin', 'module_busy'],
  }),
  uninstallBuiltin: route({
    method: 'POST',
    path: '/api/modules/{module_name}/uninstall-builtin',
    summary: 'Remove a built-in module; the backup is a bundle that brings it back with its settings',
    access: 'admin',
    params: ModuleParams,
    response: json(z.strictObject({ ok: Ok, id: z.string(), backup: z.string(), restart_required: z.literal(false) })),
    errors: ['not_found', 'module_removed', 'last_module', 'module_busy', 'backup_failed'],
  }),
  restoreBuiltin: route({
    method: 'POST',
    path: '/api/modules/{module_name}/restore-builtin',
    summary: 'Bring a removed built-in module back, with the settings of its backup or its defaults',
    access: 'admin',
    params: ModuleParams,
    query: z.strictObject({ settings: z.enum(['backup', 'default']).default('backup') }),
    response: json(ModuleChanged),
    errors: ['not_found', 'module_busy', 'module_not_removed', 'backup_unreadable'],
  }),
  restoreRules: route({
    method: 'POST',
    path: '/api/modules/{module_name}/restore-rules',
    summary: 'Give the rules back that allowed the tools of a module before it was removed',
    access: 'admin',
    sessionOnly: true,
    params: ModuleParams,
    body: json(z.strictObject({ backup: z.string().max(300) })),
    response: json(ModuleChanged),
    errors: ['not_found', 'module_busy', 'module_changed'],
  }),
  removed: route({
    method: 'GET',
    path: '/api/modules/removed',
    summary: 'Backups that can be brought back: removed built-ins and uninstalled bundles',
    access: 'admin',
    response: json(
      z.strictObject({
        items: z.array(
          z.strictObject({
            name: z.string(),
            display_name: z.string(),
            version: z.string(),
            builtin: z.boolean(),
            backup: z.string(),
            size: z.int(),
            removed_at: Timestamp,
          }),
        ),
      }),
    ),
    errors: [],
  }),
  backup: route({
    method: 'GET',
    path: '/api/modules/backups/{backup}',
    summary: 'A backup as a bundle file',
    access: 'admin',
    freshSignIn: true,
    params: z.object({ backup: z.string().regex(/^[a-z0-9][a-zA-Z0-9.+_-]{0,200}\.mcpb$/) }),
    response: { kind: 'file', disposition: 'attachment' },
    errors: ['not_found'],
  }),
}
