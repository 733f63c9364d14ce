import type { Tools } from '../chat/ports/tools.ts'
import type { Engines } from './engines.ts'
import { openModel, type OpenedModel } from './open-model.ts'

/** The engines configured now: a change takes effect with the next step of every run and interrupts none in progress. */
export function liveModel(
  engines: Pick<Engines, 'all' | 'titles' | 'onChange' | 'learn'>,
  tools: Pick<Tools, 'list'>,
): OpenedModel {
  const open = () => openModel(engines.all, tools, engines.titles, (...taught) => engines.learn(...taught))
  let model = open()
  engines.onChange(() => (model = open()))
  return {
    choose: (message, by) => model.choose(message, by),
    fallback: (engine_id, role_id) => model.fallback(engine_id, role_id),
    naming: (role_id) => model.naming(role_id),
    titles: () => model.titles(),
    describe: (role_id) => model.describe(role_id),
    options: (role_id) => model.options(role_id),
    warmUp: () => model.warmUp(),
  }
}
