import type { engines as contract } from '../../contract/engines.ts'
import type { Handlers } from '../../contract/route.ts'
import { engineAddress } from './engine-address.ts'
import type { EngineSettings } from './engine-settings.ts'
import { listModels } from './list-models.ts'
import { testEngine } from './test-engine.ts'

/** Values that matter only for long answers; a test is short. */
const FOR_TESTS = { context_tokens: 8000, price: null, timeout_ms: 30_000, idle_timeout_ms: 30_000 }

/** One handler for each engine route. */
export function engineRoutes(settings: EngineSettings): Handlers<typeof contract> {
  return {
    engine: () => settings.state,
    saveEngine: async ({ caller, body }) => ({ ok: true, ai: await settings.save(caller, body) }),
    removeEngine: async ({ caller }) => ({ ok: true, ai: await settings.remove(caller) }),
    testEngine: ({ caller, body: { provider, model, ...given }, signal }) => {
      const base_url = engineAddress({ provider, ...given })
      const api_key = settings.keyFor({ provider, base_url, api_key: given.api_key })
      return testEngine({ ...FOR_TESTS, provider, base_url, model, api_key }, caller.language, signal)
    },
    listModels: async ({ body: { provider, ...given }, signal }) => {
      const base_url = engineAddress({ provider, ...given })
      const api_key = settings.keyFor({ provider, base_url, api_key: given.api_key })
      return { items: await listModels({ provider, base_url, api_key }, signal) }
    },
  }
}
