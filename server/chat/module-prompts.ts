import { PROMPT_TEXT_LIMIT, type PromptEntry } from '../../contract/prompts.ts'
import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { cut, storable } from '../kernel/text.ts'
import type { Policy, UserPolicy } from './policy.ts'
import type { Prompts } from './prompts.ts'

/**
 * The prompts of modules as one person may use them. Filling one in runs code of its module, so whoever may use no tool of a
 * module (a rule `tool:<module>.*: deny`, a token without it) has none of its prompts either.
 */
export class ModulePrompts {
  readonly #prompts: Prompts
  readonly #policy: Policy

  constructor(prompts: Prompts, policy: Policy) {
    this.#prompts = prompts
    this.#policy = policy
  }

  async list(caller: Caller): Promise<PromptEntry[]> {
    const own = await this.#policy.forUser(caller.user_id, caller.scope)
    return own === null ? [] : this.#prompts.list().filter(({ module }) => mayUse(own, module))
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
    const text = await this.#prompts.text(module, prompt, args).catch((error: unknown) => {
      const why = error instanceof Error && error.message !== '' ? error.message : 'It does not answer.'
      throw new AppError('module_unavailable', say`${found.module_title} gave no text: ${cut(why, 500)}`, {
        cause: error,
      })
    })
    return storable(cut(text, PROMPT_TEXT_LIMIT))
  }
}

function mayUse(own: UserPolicy, module: string): boolean {
  return own.tool({ module, name: '*', effect: 'read', builtin: false, agreed: true }).effect !== 'deny'
}

function wrongArguments(entry: PromptEntry, args: Readonly<Record<string, string>>) {
  const unknown = Object.keys(args).filter((name) => !entry.arguments.some((argument) => argument.name === name))
  const missing = entry.arguments.filter(({ name, required }) => required && !Object.hasOwn(args, name))
  return [
    ...unknown.map((name) => ({ path: `arguments.${name}`, message: 'is not an argument of this prompt' })),
    ...missing.map(({ name }) => ({ path: `arguments.${name}`, message: 'is required' })),
  ]
}
