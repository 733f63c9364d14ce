import { PROMPT_TEXT_LIMIT, type PromptEntry } from '../../contract/prompts.ts'
import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { quoted, say, type Sentence } from '../kernel/sentence.ts'
import { cut, storable } from '../kernel/text/plain-text.ts'
import type { Policy, UserPolicy } from './ports/policy.ts'
import type { Completing, Offers } from './ports/offers.ts'

/**
 * The module prompts that a given person may use. Filling one in runs code of its module, so a caller who may use no
 * tool of a module (a rule `tool:<module>.*: deny`, a token without it) gets none of its prompts either.
 */
export class ModulePrompts {
  readonly #offers: Offers
  readonly #policy: Policy

  constructor(offers: Offers, policy: Policy) {
    this.#offers = offers
    this.#policy = policy
  }

  async list(caller: Caller): Promise<PromptEntry[]> {
    const own = await this.#policy.forUser(caller.user_id, caller.scope, caller.kind)
    return own === null ? [] : this.#offers.prompts(caller.language).filter(({ module }) => mayUse(own, module))
  }

  /** What an argument of a prompt may be. @throws {AppError} not_found */
  async complete(
    caller: Caller,
    module: string,
    completing: Completing,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { of, argument } = completing
    const found = (await this.list(caller)).find(
      (entry) => entry.module === module && 'prompt' in of && entry.name === of.prompt,
    )
    if (found?.arguments.some(({ name }) => name === argument) !== true)
      throw new AppError('not_found', say`There is no such prompt.`)
    return this.#offers.complete(module, completing, signal).catch(() => [])
  }

  /** @throws {AppError} not_found, invalid_request (arguments), module_unavailable */
  async fill(
    caller: Caller,
    { module, prompt }: { readonly module: string; readonly prompt: string },
    args: Readonly<Record<string, string>>,
  ): Promise<string> {
    const found = (await this.list(caller)).find((entry) => entry.module === module && entry.name === prompt)
    if (!found) throw new AppError('not_found', say`There is no such prompt.`)
    const errors = wrongArguments(found, args)
    if (errors.length > 0) throw new AppError('invalid_request', say`The prompt takes other arguments.`, { errors })
    const text = await this.#offers.promptText(module, prompt, args).catch((error: unknown) => {
      throw new AppError('module_unavailable', say`${found.module_title} gave no text: ${reasonOf(error)}`, {
        cause: error,
      })
    })
    return storable(cut(text, PROMPT_TEXT_LIMIT))
  }
}

export function reasonOf(error: unknown): Sentence {
  if (error instanceof AppError) return error.detail
  return error instanceof Error && error.message !== '' ? quoted(cut(error.message, 500)) : say`It does not answer.`
}

function mayUse(own: UserPolicy, module: string): boolean {
  return (
    own.list({ module, name: '*', effect: 'read', builtin: false, reach: 'machine', agreed: true }).effect !== 'deny'
  )
}

function wrongArguments(entry: PromptEntry, args: Readonly<Record<string, string>>) {
  const unknown = Object.keys(args).filter((name) => !entry.arguments.some((argument) => argument.name === name))
  const missing = entry.arguments.filter(({ name, required }) => required && !Object.hasOwn(args, name))
  return [
    ...unknown.map((name) => ({ path: `arguments.${name}`, message: say`is not an argument of this prompt` })),
    ...missing.map(({ name }) => ({ path: `arguments.${name}`, message: say`is required` })),
  ]
}
