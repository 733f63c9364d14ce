import type { Engine, EngineChoice, Model, ModelLesson } from '../chat/ports/model.ts'
import type { Tools } from '../chat/ports/tools.ts'
import { directEngine } from './direct/direct.ts'
import { contextOf, NO_FACTS } from './facts/model-facts.ts'
import type { KnownEngine } from './known-engine.ts'
import { procedureEngine } from './procedure/procedure-engine.ts'
import { providerEngine } from './provider-engine.ts'

const COMMAND = /^\/(?:([a-z0-9][\w-]*)(\.[\w.-]*)?)?(?=\s|$)/i

/** None, or the first of `key=value` or JSON. */
const ARGUMENTS = /^\s*(?:$|\{|[\p{L}_$][\p{L}\p{N}_$.-]*=)/u

/**
 * Fills the chat's Model port: the chosen engine for ordinary messages, direct mode for anything that starts with a
 * command (`/`, `/module` of a known module, `/module.tool …`, `/tool` with arguments) and for everything while a role
 * may use no engine; a run that carries out a procedure is answered by that. Opens no connection and loads no provider: that happens with the first step, or with `warmUp`.
 * @param engines the default first
 * @param learn remembers what a failure says of a model
 * @throws {Error} when an engine cannot work (a sentence for the administrator).
 */
export function openModel(
  engines: readonly KnownEngine[],
  tools: Pick<Tools, 'list'>,
  titles: boolean = false,
  learn: (engine: KnownEngine, model: string, lesson: ModelLesson) => Promise<void> = () => Promise.resolve(),
): OpenedModel {
  const direct = directEngine(engines.length > 0)
  const opened = new Map<string, ReturnType<typeof providerEngine>>()
  const open = (engine: KnownEngine, model = engine.model) => {
    const key = `${engine.engine_id} ${model}`
    const known = opened.get(key)
    if (known !== undefined) return known
    const facts = engine.facts.get(model) ?? NO_FACTS
    const made = providerEngine({ ...engine, model }, facts, (lesson) => learn(engine, model, lesson))
    opened.set(key, made)
    return made
  }
  for (const engine of engines) open(engine)

  const usable = (role_id: string | undefined) =>
    engines.filter(({ role_ids }) => role_id === undefined || role_ids.length === 0 || role_ids.includes(role_id))
  const chosen = (role_id: string, choice: EngineChoice | null): Engine => {
    const own = usable(role_id)
    const engine = own.find(({ engine_id }) => engine_id === choice?.engine_id) ?? own[0]
    if (engine === undefined) return direct
    const fits = choice?.engine_id === engine.engine_id && engine.models.includes(choice.model)
    return open(engine, fits ? choice.model : engine.model)
  }
  return {
    choose(message, { role_id, choice, procedure }) {
      if (procedure !== undefined) return procedureEngine(procedure.plan, procedure.done)
      return isCommand(message.trim(), tools) ? direct : chosen(role_id, choice)
    },
    fallback(engine_id, role_id) {
      const wanted = engines.find((engine) => engine.engine_id === engine_id)?.fallback_id ?? null
      const other = usable(role_id).find((engine) => engine.engine_id === wanted)
      return other === undefined ? null : open(other)
    },
    naming(role_id) {
      const engine = usable(role_id).find(({ isNaming }) => isNaming)
      return engine === undefined ? chosen(role_id, null) : open(engine)
    },
    titles: () => titles,
    describe(role_id) {
      const [engine] = usable(role_id)
      return engine === undefined ? { ai_mode: 'direct', model: null } : { ai_mode: 'model', model: engine.model }
    },
    options: (role_id) =>
      usable(role_id).map(({ engine_id, name, models, model, context_tokens, facts }) => ({
        engine_id,
        name,
        models,
        model,
        context_tokens: contextOf(context_tokens, facts.get(model) ?? NO_FACTS),
        without_tools: models.filter((one) => facts.get(one)?.get('tools')?.value === 0),
      })),
    warmUp: async () => {
      const [standard] = engines
      if (standard !== undefined) await open(standard).warmUp()
    },
  }
}

export interface OpenedModel extends Model {
  /**
   * Loads the provider of the default engine ahead of the first step; to be called once the service is listening. Rejects
   * when it cannot be loaded.
   */
  warmUp(): Promise<void>
}

/**
 * `/etc is full` is a question for the engine: a single word after the slash counts only when a module has that name, or
 * when a tool has it and what follows are arguments, not words (`/logs is full`).
 */
function isCommand(message: string, tools: Pick<Tools, 'list'>): boolean {
  const match = COMMAND.exec(message)
  if (match === null) return false
  const [whole, word, tool] = match
  if (word === undefined || tool !== undefined) return true
  const folded = word.toLowerCase()
  // No word of a question has an underscore: `/run_command df -h`.
  const isCall = word.includes('_') || ARGUMENTS.test(message.slice(whole.length))
  return tools.list().some((known) => known.module === folded || (isCall && known.name.toLowerCase() === folded))
}
