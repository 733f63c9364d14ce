import type { PromptEntry } from '../../../contract/prompts.ts'

/** Something of a module that a person can read, or a family of such things (`template`) with values to fill in. */
export interface OfferedResource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly media_type: string | null
  /** Bytes, as the module says. */
  readonly size: number | null
}
export interface OfferedTemplate extends Omit<OfferedResource, 'uri' | 'size'> {
  readonly template: string
  readonly arguments: readonly string[]
}
export interface OfferedResources {
  readonly resources: readonly OfferedResource[]
  readonly templates: readonly OfferedTemplate[]
  /** There are more than are listed. */
  readonly more: boolean
}

/** One that is listed, or one of a listed family. */
export type ChosenResource =
  | { readonly uri: string }
  | { readonly template: string; readonly values: Readonly<Record<string, string>> }
export interface ReadResource {
  readonly uri: string
  /** Base64. */
  readonly files: readonly { readonly name: string; readonly media_type: string; readonly data: string }[]
  /** How many more there were that were too many or too large. */
  readonly left_out: number
}

/** What an argument of a prompt, or of a family of resources, may be: asked while a person types. */
export interface Completing {
  readonly of: { readonly prompt: string } | { readonly template: string }
  readonly argument: string
  readonly value: string
  /** The other arguments as far as they are filled in. */
  readonly given: Readonly<Record<string, string>>
}

export interface OfferingModule {
  readonly module: string
  /** For a reader. */
  readonly title: string
  readonly builtin: boolean
}

/**
 * The port through which people reach what modules offer beside tools, of those that are running now. `modules` implements
 * it, `app` fills it. What asks a module rejects with a sentence when it does not answer.
 */
export interface Offers {
  /** In a stable order, for a reader of `language`. Never asks a module. */
  prompts(language: string): readonly PromptEntry[]
  /** The text with these arguments. */
  promptText(module: string, prompt: string, args: Readonly<Record<string, string>>): Promise<string>
  /** Which modules have resources at all. Never asks a module. */
  resourceModules(language: string): readonly OfferingModule[]
  resources(module: string, language: string): Promise<OfferedResources>
  readResource(module: string, chosen: ChosenResource, signal: AbortSignal): Promise<ReadResource>
  /** None where the module has none or is too slow. */
  complete(module: string, completing: Completing, signal: AbortSignal): Promise<readonly string[]>
}
