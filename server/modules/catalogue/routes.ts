import type { modules as contract } from '../../../contract/modules.ts'
import type { Caller, Handlers } from '../../../contract/route.ts'
import { iso } from '../../kernel/time.ts'
import type { Catalogue } from './catalogue.ts'

/** The handlers of the routes under /api/modules. */
export function moduleRoutes(catalogue: Catalogue): Handlers<typeof contract> {
  const changed = async (name: string) => ({
    ok: true as const,
    module: await catalogue.module(name),
    catalog: catalogue.list(),
  })
  type Request = { readonly params: { readonly module_name: string }; readonly caller: Caller }

  return {
    list: () => ({ catalog: catalogue.list() }),
    sdk: () => catalogue.sdk(),
    install: async ({ headers, query, body, caller, signal }) => {
      const upload = {
        fileName: headers['x-module-filename'],
        body,
        allowDowngrade: query.allow_downgrade === 'true',
        signal,
      }
      return { ok: true, ...(await catalogue.install(upload, caller)), restart_required: false }
    },
    addRemote: async ({ body, caller }) => {
      await catalogue.addRemote(body, caller)
      return changed(body.name)
    },
    module: async ({ params }) => ({ module: await catalogue.module(params.module_name) }),
    icon: ({ params }) => catalogue.icon(params.module_name),
    settings: ({ params }) => ({ settings: catalogue.settings(params.module_name) }),
    saveSettings: async ({ params, body, caller }) => {
      await catalogue.saveSettings(params.module_name, body, caller)
      return { ok: true, settings: catalogue.settings(params.module_name), restart_required: false }
    },
    health: async ({ params }) => ({ ok: true, health: await catalogue.health(params.module_name) }),
    diagnostics: async ({ params }) => ({ ok: true, module: await catalogue.diagnostics(params.module_name) }),
    enable: async ({ params, body, caller }) => {
      await catalogue.enable(params.module_name, body, caller)
      return changed(params.module_name)
    },
    disable: async ({ params, caller }: Request) => {
      await catalogue.disable(params.module_name, caller)
      return changed(params.module_name)
    },
    agree: async ({ params, body, caller }) => {
      await catalogue.agree(params.module_name, body.tools, caller)
      return changed(params.module_name)
    },
    repair: async ({ params, caller }: Request) => {
      await catalogue.repair(params.module_name, caller)
      return changed(params.module_name)
    },
    rollback: async ({ params, body, caller }) => {
      await catalogue.rollback(params.module_name, body.digest, caller)
      return changed(params.module_name)
    },
    uninstall: async ({ params, body, caller }) => ({
      ok: true,
      ...(await catalogue.uninstall(params.module_name, body.delete_data, caller)),
    }),
    uninstallBuiltin: async ({ params, caller }) => {
      const backup = await catalogue.uninstallBuiltin(params.module_name, caller)
      return { ok: true, id: params.module_name, backup, restart_required: false }
    },
    restoreBuiltin: async ({ params, caller }: Request) => {
      await catalogue.restoreBuiltin(params.module_name, caller)
      return changed(params.module_name)
    },
    policy: () => catalogue.policy(),
    savePolicy: async ({ body, caller }) => {
      await catalogue.savePolicy(body, caller)
      return { ok: true, ...(await catalogue.policy()) }
    },
    removed: async () => ({
      items: (await catalogue.removed()).map(({ removed_at, ...backup }) => ({
        ...backup,
        removed_at: iso(removed_at),
      })),
    }),
    backup: ({ params }) => catalogue.backup(params.backup),
  }
}
