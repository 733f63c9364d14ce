import type { Offers } from '../../chat/ports/offers.ts'
import type { Tools } from '../../chat/ports/tools.ts'
import type { CatalogueContext, CatalogueOptions } from './catalogue-context.ts'
import { ChangesTold } from './changes-told.ts'
import { openContext } from './open-context.ts'
import { ownerAnswers } from './owner-answers.ts'
import { reconcile } from './reconcile.ts'
import { knownSecrets } from './settings/known-secrets.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { AS_WRITTEN } from '../../kernel/wording.ts'
import { moduleOffers } from './module-offers.ts'
import { wordingOf } from './module-wording.ts'
import { displayName, moduleEntry } from './store/module-entry.ts'

/**
 * The life cycle of the catalogue: cleans up at startup, has the host run what the rows say, follows changes and
 * announces them.
 */
export class Catalogue implements AsyncDisposable {
  /** What is currently known about the modules, for reading. */
  readonly context: CatalogueContext
  /** What is closed with it: work that its routes have begun. */
  readonly closing: AsyncDisposable[] = []
  readonly #told: ChangesTold
  readonly #stopListening: (() => void)[]
  readonly #allow: () => void
  readonly #secretsFor: (module: string) => readonly string[]
  /** Module → its entry in the list, as it was last announced. */
  readonly #shown = new Map<string, string>()
  #starting: Promise<void> | null = null
  #revised: { tools: unknown; records: unknown; revision: string } | null = null

  /** Only for `openCatalogue`. */
  constructor(context: CatalogueContext, allow: () => void) {
    this.context = context
    this.#secretsFor = knownSecrets(context.vault, context.records)
    this.#allow = allow
    const failed = (what: string) => (error: unknown) => context.log.error({ err: error }, what)
    this.#told = new ChangesTold((module) => {
      context.onChanged(null, module).catch(failed('a change of a module was not told'))
    })
    context.shared?.answers(ownerAnswers(context))
    this.#stopListening = [
      context.host.onChange((name) => this.#notice(name)),
      context.db.revisions.follow('modules', () => context.refresh()),
    ]
  }

  /** The host reports every change; administrators are only notified of changes that their list shows. */
  #notice(name: string): void {
    const record = this.context.records().get(name)
    const shown = record === undefined ? '' : JSON.stringify(moduleEntry(this.context, record, 'en'))
    if (this.#shown.get(name) === shown) return
    this.#shown.set(name, shown)
    this.#told.changed(name)
  }

  /** The tools that runs see: those of the host, once it knows what to run. */
  get tools(): Tools {
    const { host, records } = this.context
    return {
      list: () => host.list(),
      find: (module, tool) => host.find(module, tool),
      wording(module, language) {
        const record = records().get(module)
        return record === undefined ? { ...AS_WRITTEN, language } : wordingOf(record, language)
      },
      moduleTitle(module, language) {
        const record = records().get(module)
        return record === undefined ? module : displayName(record, language)
      },
      instructions(module) {
        const said = host.said(module)
        return said?.pin === 'agreed' ? said.text : null
      },
      revision: () => this.#toolsRevision(),
      call: (request, signal, progress) => host.call(request, signal, progress),
      ready: async () => {
        await this.start()
        await host.ready()
      },
    }
  }

  #toolsRevision(): string {
    const { host, records } = this.context
    const of = { tools: host.list(), records: records() }
    if (this.#revised?.tools !== of.tools || this.#revised.records !== of.records) {
      const tools = of.tools.map(({ module, name, definition_hash }) => [module, name, definition_hash])
      const versions = [...of.records.values()].map(({ name, current }) => [name, current?.digest ?? ''])
      this.#revised = { ...of, revision: hashOf([tools, versions]).slice(0, 8) }
    }
    return this.#revised.revision
  }

  /** The secrets to mask in whatever is shown of calls to a module. */
  secretsFor(module: string): readonly string[] {
    return this.#secretsFor(module)
  }

  /** What the running modules offer people, for the chat. */
  get offers(): Offers {
    return moduleOffers(this.context)
  }

  /**
   * Cleans up after the previous process and starts what is enabled. Resolves once the host knows; it waits for no
   * module.
   */
  start(): Promise<void> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  /**
   * For changes: before the cleanup is over, it would mistake a half-finished change for a leftover. And what another process
   * has changed a moment ago counts, whether this one has heard of it or not.
   */
  async started(): Promise<CatalogueContext> {
    await this.start()
    await this.context.refresh()
    return this.context
  }

  async #start(): Promise<void> {
    const { log, records, sandbox } = this.context
    try {
      await reconcile(this.context)
      // Probing takes a moment that is better spent now than during a request.
      if ([...records().values()].some(({ kind }) => kind === 'bundle')) await sandbox.ready()
    } catch (error) {
      log.error({ err: error }, 'modules could not be tidied up')
    }
    this.#allow()
    await this.context.refreshSurely()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stopListening) stop()
    this.#told[Symbol.dispose]()
    await this.#starting?.catch(() => undefined)
    for (const part of this.closing) await part[Symbol.asyncDispose]()
    await this.context.locks.settled()
    await this.context.connections[Symbol.asyncDispose]()
  }
}

/** Reads the rows. Starts nothing before `start`. */
export async function openCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  let allowed = false
  const context = await openContext(options, () => allowed)
  return new Catalogue(context, () => (allowed = true))
}
