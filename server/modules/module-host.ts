import type { Tools } from '../chat/tools.ts'
import type { ModuleRuntime } from './module-runtime.ts'
import type { ModuleSpec } from './module-spec.ts'

/** Runs modules and is the chat's way to their tools. It knows no database: what runs is what `apply` was told. */
export interface ModuleHost extends Tools, AsyncDisposable {
  /**
   * Makes what runs equal to `specs`, by name: starts what is new, starts anew what has another fingerprint, stops what is gone.
   * Returns at once; nothing that one module does delays another. Pins are taken over without a restart.
   */
  apply(specs: readonly ModuleSpec[]): void
  /**
   * Waits until the module is up. @throws {ModuleStartError} when it does not come up within its start deadline, or there is no such spec.
   * Ends a pause before a restart, and a crash loop.
   */
  started(name: string): Promise<ModuleRuntime>
  /** Waits until nothing of a module that `apply` left out runs any more. Rejects with a sentence after 15 s. */
  stopped(name: string): Promise<void>
  /** Whether a call is running in it. */
  busy(name: string): boolean
  runtime(name: string): ModuleRuntime | undefined
  /** One question to the running module that every server answers (ping or discover); milliseconds, or rejects with a sentence. */
  ping(name: string, signal: AbortSignal): Promise<number>
  /** Text of a prompt with these arguments, its messages joined. Rejects with a sentence. */
  prompt(name: string, prompt: string, args: Readonly<Record<string, string>>): Promise<string>
  /** Calls `listener` with a module's name whenever its runtime changed (state, tools, prompts), until the returned function is called. */
  onChange(listener: (name: string) => void): () => void
}

/** Why a module did not come up, with the last lines that it printed, masked. */
export class ModuleStartError extends Error {
  override readonly name = 'ModuleStartError'
  readonly stderr: readonly string[]

  constructor(message: string, stderr: readonly string[]) {
    super(message)
    this.stderr = stderr
  }
}
