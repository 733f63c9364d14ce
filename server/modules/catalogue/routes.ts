import type { modules as contract } from '../../../contract/modules.ts'
import type { Caller, Handlers } from '../../../contract/route.ts'
import { iso } from '../../kernel/time.ts'
import { Additions } from './additions/additions.ts'
import { findServers } from './additions/find-servers.ts'
import { findUpdates, updateSource } from './additions/updates.ts'
import type { Catalogue } from './catalogue.ts'
import { diagnose } from './diagnostics.ts'
import { probeHealth } from './health.ts'
import { addRemote } from './install/add-remote.ts'
import { agreeToTools } from './install/agree-to-tools.ts'
import { disableModule } from './install/disable-module.ts'
import { enableModule } from './install/enable-module.ts'
import { type BundleUpload, installBundle } from './install/install-bundle.ts'
import { restoreRules } from './install/kept-rules.ts'
import { removedModules } from './install/removed-modules.ts'
import { repairModule } from './install/repair-module.ts'
import { restoreBuiltin } from './install/restore-builtin.ts'
import { rollbackModule } from './install/rollback-module.ts'
import { uninstallBuiltin } from './install/uninstall-builtin.ts'
import { uninstallModule } from './install/uninstall-module.ts'
import { authorsKit, moduleIcon, modulePicture } from './module-downloads.ts'
import { saveInstances } from './settings/save-instances.ts'
import { saveLimits } from './settings/save-limits.ts'
import { saveLogLevel } from './settings/save-log-level.ts'
import { saveRequirements } from './settings/save-requirements.ts'
import { saveSettings } from './settings/settings-save.ts'
import { settingsView } from './settings/settings-view.ts'
import { moduleDetail } from './store/module-detail.ts'
import { displayName, isolationIn, moduleEntries } from './store/module-entry.ts'

/** The handlers of the routes under /api/modules. */
export function moduleRoutes(catalogue: Catalogue): Handlers<typeof contract> {
  const { context } = catalogue
  const additions = new Additions(() => catalogue.started())
  catalogue.closing.push(additions)
  const changed = async (name: string, { language }: Caller) => ({
    ok: true as const,
    module: await moduleDetail(context, context.record(name), language),
    catalog: moduleEntries(context, language),
  })
  const policy = async ({ language }: Caller) => {
    await context.sandbox.ready()
    return {
      policy: context.requirements(),
      isolation: context.sandbox.levels.map((level) => isolationIn(level, language)),
    }
  }
  type Sent = Parameters<Handlers<typeof contract>['install' | 'sendModule']>[0]
  const uploadOf = ({ headers, query, body, signal }: Sent): BundleUpload => ({
    fileName: headers['x-module-filename'],
    body,
    allowDowngrade: query.allow_downgrade === 'true',
    signal,
  })
  type Request = { readonly params: { readonly module_name: string }; readonly caller: Caller }

  return {
    list: ({ caller }) => ({ catalog: moduleEntries(context, caller.language) }),
    sdk: () => authorsKit(context),
    install: async (request) => ({
      ok: true,
      ...(await installBundle(await catalogue.started(), uploadOf(request), request.caller)),
      restart_required: false,
    }),
    addRemote: async ({ body, caller }) => {
      await addRemote(await catalogue.started(), body, caller)
      return changed(body.name, caller)
    },
    addModule: async ({ body, caller }) => ({ ok: true, addition: await additions.start(body.source, caller) }),
    sendModule: async (request) => ({
      ok: true,
      addition: await additions.send(uploadOf(request), request.caller),
    }),
    additions: async ({ caller }) => ({
      items: await additions.list(caller),
      registry: context.npm === null ? null : new URL(context.npm.url).host,
      python_index: context.pypi === null ? null : new URL(context.pypi.url).host,
      search: context.mcpRegistry === null ? null : new URL(context.mcpRegistry).host,
    }),
    searchRegistry: ({ query, caller, signal }) => findServers(context, query, { caller, signal }),
    cancelAddition: async ({ params, caller }) => ({
      ok: true,
      addition: await additions.cancel(params.addition_id, caller),
    }),
    checkUpdates: async ({ caller, signal }) => ({
      items: await findUpdates(await catalogue.started(), caller.language, signal),
    }),
    updateModule: async ({ params, caller }) => {
      await catalogue.started()
      const source = updateSource(context.record(params.module_name))
      return { ok: true, addition: await additions.start(source, caller) }
    },
    module: async ({ params, caller }) => ({
      module: await moduleDetail(context, context.record(params.module_name), caller.language),
    }),
    icon: ({ params, query }) => moduleIcon(context, params.module_name, query.theme),
    picture: ({ params }) => modulePicture(context, params.module_name, params.digest),
    settings: ({ params, caller }) => ({
      settings: settingsView(context.record(params.module_name), caller.language),
    }),
    saveSettings: async ({ params, body, caller }) => {
      await saveSettings(await catalogue.started(), params.module_name, body, caller)
      const settings = settingsView(context.record(params.module_name), caller.language)
      return { ok: true, settings, restart_required: false }
    },
    health: async ({ params, caller }) => ({
      ok: true,
      health: await probeHealth(context, context.record(params.module_name), caller.language),
    }),
    diagnostics: async ({ params, caller }) => ({
      ok: true,
      module: await diagnose(context, context.record(params.module_name), caller.language),
    }),
    enable: async ({ params, body, caller }) => {
      await enableModule(await catalogue.started(), params.module_name, body, caller)
      return changed(params.module_name, caller)
    },
    disable: async ({ params, caller }: Request) => {
      await disableModule(await catalogue.started(), params.module_name, caller)
      return changed(params.module_name, caller)
    },
    agree: async ({ params, body, caller }) => {
      await agreeToTools(await catalogue.started(), params.module_name, body, caller)
      return changed(params.module_name, caller)
    },
    saveLimits: async ({ params, body, caller }) => {
      await saveLimits(await catalogue.started(), params.module_name, body.memory_mib, caller)
      return changed(params.module_name, caller)
    },
    saveInstances: async ({ params, body, caller }) => {
      await saveInstances(await catalogue.started(), params.module_name, body.instances, caller)
      return changed(params.module_name, caller)
    },
    saveLogLevel: async ({ params, body, caller }) => {
      await saveLogLevel(await catalogue.started(), params.module_name, body.log_level, caller)
      return changed(params.module_name, caller)
    },
    repair: async ({ params, caller }: Request) => {
      await repairModule(await catalogue.started(), params.module_name, caller)
      return changed(params.module_name, caller)
    },
    rollback: async ({ params, body, caller }) => {
      await rollbackModule(await catalogue.started(), params.module_name, body.digest, caller)
      return changed(params.module_name, caller)
    },
    uninstall: async ({ params, body, caller }) => ({
      ok: true,
      ...(await uninstallModule(await catalogue.started(), params.module_name, body.delete_data, caller)),
    }),
    uninstallBuiltin: async ({ params, caller }) => {
      const backup = await uninstallBuiltin(await catalogue.started(), params.module_name, caller)
      return { ok: true, id: params.module_name, backup, restart_required: false }
    },
    restoreBuiltin: async ({ params, query, caller }) => {
      await restoreBuiltin(await catalogue.started(), params.module_name, query.settings, caller)
      return changed(params.module_name, caller)
    },
    restoreRules: async ({ params, body, caller }) => {
      await restoreRules(await catalogue.started(), params.module_name, body.backup, caller)
      return changed(params.module_name, caller)
    },
    policy: ({ caller }) => policy(caller),
    savePolicy: async ({ body, caller }) => {
      await saveRequirements(await catalogue.started(), body, caller)
      return { ok: true, ...(await policy(caller)) }
    },
    removed: async ({ caller }) => ({
      items: (await removedModules(context)).map(
        ({ name, display_name, version, builtin, backup, size, removed_at }) => ({
          name,
          display_name: builtin ? displayName(context.records().get(name)!, caller.language) : display_name,
          version,
          builtin,
          backup,
          size,
          removed_at: iso(removed_at),
        }),
      ),
    }),
    backup: ({ params }) => context.backups.read(params.backup),
  }
}
