import type { PromptEntry } from '../../../contract/prompts.ts'

/** The port through which people reach the prompts that modules provide. `modules` implements it, `app` fills it. */
export interface Prompts {
  /** Prompts of modules that are running now, in a stable order, for a reader of `language`. Never asks a module. */
  list(language: string): readonly PromptEntry[]
  /** The text with these arguments. Rejects with a sentence when the module does not answer. */
  text(module: string, prompt: string, args: Readonly<Record<string, string>>): Promise<string>
}
