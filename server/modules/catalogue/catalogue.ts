import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type {
  Isolation,
  ModuleDetail,
  ModuleDiagnostics,
  ModuleEntry,
  ModuleHealth,
  ModulePolicy,
  ModuleSettings,
} from '../../../contract/modules.ts'
import type { PromptEntry } from '../../../contract/prompts.ts'
import type { Caller, FileAnswer } from '../../../contract/route.ts'
import type { Tools } from '../../chat/tools.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { readIcon } from '../bundle/read-icon.ts'
import { addRemote, type RemoteRequest } from './add-remote.ts'
import { agreeToTools } from './agree-to-tools.ts'
import type { Backup } from './backups.ts'
import type { CatalogueContext, CatalogueOptions } from './catalogue-context.ts'
import { ChangesTold } from './changes-told.ts'
import { diagnose } from './diagnostics.ts'
import { disableModule } from './disable-module.ts'
import { enableModule, type EnableRequest } from './enable-module.ts'
import { probeHealth } from './health.ts'
import { type BundleUpload, type InstallAnswer, installBundle } from './install-bundle.ts'
import { moduleDetail } from './module-detail.ts'
import { moduleEntries, moduleEntry } from './module-entry.ts'
import { openContext } from './open-context.ts'
import { reconcile } from './reconcile.ts'
import { repairModule } from './repair-module.ts'
import { restoreBuiltin } from './restore-builtin.ts'
import { rollbackModule } from './rollback-module.ts'
import { savePolicy } from './save-policy.ts'
import { saveSettings, type SettingsChange } from './settings-save.ts'
import { settingsView } from './settings-view.ts'
import { uninstallBuiltin } from './uninstall-builtin.ts'
import { type UninstallAnswer, uninstallModule } from './uninstall-module.ts'

/** All modules: which are installed, in which version, with which settings and rights, and everything an administrator does to them. */
export class Catalogue implements AsyncDisposable {
  readonly #context: CatalogueContext
  readonly #told: ChangesTold
  readonly #stopListening: (() => void)[]
  readonly #allow: () => void
  /** Module → its line of the list, as it was told last. */
  readonly #shown = new Map<string, string>()
  #starting: Promise<void> | null = null

  /** Only for `openCatalogue`. */
  constructor(context: CatalogueContext, allow: () => void) {
    this.#context = context
    this.#allow = allow
    const failed = (what: string) => (error: unknown) => context.log.error({ err: error }, what)
    this.#told = new ChangesTold((module) => {
      context.onChanged(null, module).catch(failed('a change of a module was not told'))
    })
    this.#stopListening = [
      context.host.onChange((name) => this.#notice(name)),
      context.db.onWake('modules', () => void context.refresh().catch(failed('modules were not read'))),
    ]
  }

  /** The host tells every little thing; the administrators are told what their list shows. */
  #notice(name: string): void {
    const record = this.#context.records().get(name)
    const shown = record === undefined ? '' : JSON.stringify(moduleEntry(this.#context, record))
    if (this.#shown.get(name) === shown) return
    this.#shown.set(name, shown)
    this.#told.changed(name)
  }

  /** What runs see: the host's tools, once it was told what to run. */
  get tools(): Tools {
    const { host } = this.#context
    return {
      list: () => host.list(),
      find: (module, tool) => host.find(module, tool),
      call: (request, signal, progress) => host.call(request, signal, progress),
      ready: async () => {
        await this.start()
        await host.ready()
      },
    }
  }

  /** Prompts of the modules that run now, for the chat. */
  get prompts() {
    const { host, records } = this.#context
    return {
      list: (): PromptEntry[] =>
        [...records().values()]
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .flatMap(({ name, display_name }) =>
            (host.runtime(name)?.prompts ?? []).map((prompt) => ({
              ...prompt,
              module: name,
              module_title: display_name,
            })),
          ),
      text: (module: string, prompt: string, args: Readonly<Record<string, string>>) =>
        host.prompt(module, prompt, args),
    }
  }

  /**
   * Tidies up after the last time, and starts what is enabled. Returns when the host knows; nothing waits for a module.
   * Every change waits for it: tidying up would take what is half done for a leftover.
   */
  start(): Promise<void> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  async #start(): Promise<void> {
    const { log, records, sandbox } = this.#context
    try {
      await reconcile(this.#context)
      // Probing takes a moment, which is better spent now than in the middle of a request.
      if ([...records().values()].some(({ kind }) => kind === 'bundle')) await sandbox.ready()
    } catch (error) {
      log.error({ err: error }, 'modules could not be tidied up')
    }
    this.#allow()
    await this.#context.refreshSurely()
  }

  list(): ModuleEntry[] {
    return moduleEntries(this.#context)
  }

  module(name: string): Promise<ModuleDetail> {
    return moduleDetail(this.#context, this.#context.record(name))
  }

  async icon(name: string): Promise<FileAnswer> {
    const { current, manifest } = this.#context.record(name)
    const folder =
      current === null ? join(this.#context.builtinFolder, name) : await this.#context.trees.ensure(current.digest)
    const bytes = manifest === null ? null : await readIcon(folder, manifest)
    if (bytes === null) throw new AppError('not_found', say`This module has no icon.`)
    return { name: `${name}.png`, media_type: 'image/png', size: bytes.length, stream: once(bytes) }
  }

  /** The kit for authors. @throws {AppError} not_found where Reeve was built without it */
  async sdk(): Promise<FileAnswer> {
    const { sdkFile } = this.#context
    const status = await stat(sdkFile).catch(() => null)
    if (!status?.isFile())
      throw new AppError('not_found', say`This installation was built without the kit for authors.`)
    return {
      name: basename(sdkFile),
      media_type: 'application/zip',
      size: status.size,
      stream: createReadStream(sdkFile),
    }
  }

  async install(upload: BundleUpload, caller: Caller): Promise<InstallAnswer> {
    await this.start()
    return installBundle(this.#context, upload, caller)
  }

  async addRemote(request: RemoteRequest, caller: Caller): Promise<void> {
    await this.start()
    await addRemote(this.#context, request, caller)
  }

  settings(name: string): ModuleSettings {
    return settingsView(this.#context.record(name))
  }

  async saveSettings(name: string, change: SettingsChange, caller: Caller): Promise<void> {
    await this.start()
    await saveSettings(this.#context, name, change, caller)
  }

  health(name: string): Promise<ModuleHealth> {
    return probeHealth(this.#context, this.#context.record(name))
  }

  diagnostics(name: string): Promise<ModuleDiagnostics> {
    return diagnose(this.#context, this.#context.record(name))
  }

  async enable(name: string, request: EnableRequest, caller: Caller): Promise<void> {
    await this.start()
    await enableModule(this.#context, name, request, caller)
  }

  async disable(name: string, caller: Caller): Promise<void> {
    await this.start()
    await disableModule(this.#context, name, caller)
  }

  async agree(
    name: string,
    tools: readonly { name: string; definition_hash: string }[],
    caller: Caller,
  ): Promise<void> {
    await this.start()
    await agreeToTools(this.#context, name, tools, caller)
  }

  async repair(name: string, caller: Caller): Promise<void> {
    await this.start()
    await repairModule(this.#context, name, caller)
  }

  async rollback(name: string, digest: string | undefined, caller: Caller): Promise<void> {
    await this.start()
    await rollbackModule(this.#context, name, digest, caller)
  }

  async uninstall(name: string, deleteData: boolean, caller: Caller): Promise<UninstallAnswer> {
    await this.start()
    return uninstallModule(this.#context, name, deleteData, caller)
  }

  async uninstallBuiltin(name: string, caller: Caller): Promise<string> {
    await this.start()
    return uninstallBuiltin(this.#context, name, caller)
  }

  async restoreBuiltin(name: string, caller: Caller): Promise<void> {
    await this.start()
    await restoreBuiltin(this.#context, name, caller)
  }

  async policy(): Promise<{ policy: ModulePolicy; isolation: Isolation[] }> {
    await this.#context.sandbox.ready()
    return { policy: this.#context.policy(), isolation: [...this.#context.sandbox.levels] }
  }

  async savePolicy(policy: ModulePolicy, caller: Caller): Promise<void> {
    await this.start()
    await savePolicy(this.#context, policy, caller)
  }

  /** Backups of what is not there now, newest first; of a removed built-in only the newest. */
  async removed(): Promise<Backup[]> {
    const all = await this.#context.backups.list()
    return all.filter(({ name, builtin }, index) => {
      const record = this.#context.records().get(name)
      if (!builtin) return record === undefined
      return record?.removed === true && all.findIndex((other) => other.builtin && other.name === name) === index
    })
  }

  backup(name: string): Promise<FileAnswer> {
    return this.#context.backups.read(name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stopListening) stop()
    this.#told[Symbol.dispose]()
    await this.#starting?.catch(() => undefined)
    await this.#context.locks.settled()
  }
}

/** Reads the rows. Nothing is started before `start`. */
export async function openCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  let allowed = false
  const context = await openContext(options, () => allowed)
  return new Catalogue(context, () => (allowed = true))
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
