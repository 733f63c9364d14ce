import type { Model } from '../chat/ports/model.ts'
import type { Tools } from '../chat/ports/tools.ts'
import type { AiConfig } from './engine-setting.ts'
import { directEngine } from './direct/direct.ts'
import { providerEngine } from './provider-engine.ts'

const COMMAND = /^\/(?:([a-z0-9][\w-]*)(\.[\w.-]*)?)?(?=\s|$)/i

/**
 * Fills the chat's Model port: the configured engine for ordinary messages, direct mode for anything that starts with a
 * command (`/`, `/module` of a known module, `/module.tool …`) and for everything while no engine is configured. Opens
 * no connection and loads no provider: that happens with the first step, or with `warmUp`.
 * @throws {Error} when the configuration cannot work (a sentence for the administrator).
 */
export function openModel(config: AiConfig, tools: Pick<Tools, 'list'>): OpenedModel {
  const direct = directEngine(config !== null)
  const provided = config === null ? null : providerEngine(config)
  const engine = provided ?? direct
  return {
    choose: (message) => (isCommand(message.trim(), tools) ? direct : engine),
    describe: () => ({ ai_mode: engine.ai_mode, model: engine.model }),
    warmUp: async () => provided?.warmUp(),
  }
}

export interface OpenedModel extends Model {
  /**
   * Loads the provider ahead of the first step; to be called once the service is listening. Rejects when it cannot be
   * loaded.
   */
  warmUp(): Promise<void>
}

/**
 * `/etc is full` is a question for the engine: a single word after the slash counts only when a module has that name.
 */
function isCommand(message: string, tools: Pick<Tools, 'list'>): boolean {
  const match = COMMAND.exec(message)
  if (match === null) return false
  const [, module, tool] = match
  return (
    module === undefined || tool !== undefined || tools.list().some((known) => known.module === module.toLowerCase())
  )
}
