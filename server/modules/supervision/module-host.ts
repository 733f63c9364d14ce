import type { ModuleInstructions } from '../../../contract/module-offer.ts'
import type { Tools } from '../../chat/ports/tools.ts'
import type { Sentence } from '../../kernel/sentence.ts'
import type { Inquire } from '../spec/module-inquiry.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import type { ModuleRuntime } from '../spec/module-runtime.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'

/** Runs modules and gives the chat access to their tools. It has no database: it runs what `apply` was given. */
export interface ModuleHost
  extends Omit<Tools, 'wording' | 'moduleTitle' | 'revision' | 'instructions'>, AsyncDisposable {
  /**
   * Makes the running modules match `specs`, by name: starts new ones, restarts those with a different fingerprint,
   * stops the rest. Returns at once, and no module delays another. Changed pins take effect without a restart.
   */
  apply(specs: readonly ModuleSpec[]): void
  /**
   * Waits until the module is up; ends a pause before a restart, and a crash loop.
   * @throws {ModuleStartError} when it does not come up within its start deadline, or there is no such spec
   */
  started(name: string): Promise<ModuleRuntime>
  /** Waits until nothing of a module that `apply` left out is running any more. @throws {ModuleProblem} after 15 s */
  stopped(name: string): Promise<void>
  /** Whether it is running a call. */
  busy(name: string): boolean
  runtime(name: string): ModuleRuntime | undefined
  /** What a module says about its tools, whether that was agreed to or not; null while it is down. */
  said(name: string): ModuleInstructions | null
  /** The usable tools of a module as it listed them; none while it is down. */
  definitions(name: string): readonly unknown[]
  /**
   * Round-trip time in milliseconds of a request that every server answers (ping or discover). Rejects when it fails.
   */
  ping(name: string, signal: AbortSignal): Promise<number>
  /** What people ask of it beside calls. @throws {ModuleProblem} */
  readonly ask: Inquire<[name: string]>
  /**
   * Calls `listener` with a module's name whenever its runtime (state, tools, prompts) changed. Returns the unsubscribe
   * function.
   */
  onChange(listener: (name: string) => void): () => void
}

/** Why a module did not come up, with the last lines it printed, masked. */
export class ModuleStartError extends ModuleProblem {
  override readonly name = 'ModuleStartError'
  readonly stderr: readonly string[]

  constructor(detail: Sentence, stderr: readonly string[]) {
    super(detail)
    this.stderr = stderr
  }
}
