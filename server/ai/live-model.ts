import type { Tools } from '../chat/ports/tools.ts'
import type { EngineSettings } from './engine-settings.ts'
import { openModel, type OpenedModel } from './open-model.ts'

/** The model configured now: a change takes effect with the next step of every run and interrupts none in progress. */
export function liveModel(
  settings: Pick<EngineSettings, 'current' | 'onChange'>,
  tools: Pick<Tools, 'list'>,
): OpenedModel {
  let model = openModel(settings.current, tools)
  settings.onChange(() => (model = openModel(settings.current, tools)))
  return {
    choose: (message) => model.choose(message),
    describe: () => model.describe(),
    warmUp: () => model.warmUp(),
  }
}
