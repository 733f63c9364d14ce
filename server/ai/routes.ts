import type { engines as contract } from '../../contract/engines.ts'
import type { Caller, Handlers } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { engineAddress } from './engine-address.ts'
import { toEntry, toState } from './engine-entry.ts'
import type { Engines } from './engines.ts'
import type { EngineConnection } from './engines-options.ts'
import { type FactValues, type Place, placeOf } from './facts/fact-rows.ts'
import { contextOf, NO_FACTS } from './facts/model-facts.ts'
import { probe } from './facts/probe.ts'
import type { KnownEngine } from './known-engine.ts'
import { listModels } from './list-models.ts'
import { requestFor } from './request-for.ts'
import { testEngine } from './test-engine.ts'

/** Values that matter only for long answers; a test is short. */
const FOR_TESTS = { context_tokens: 8000, price: null, timeout_ms: 30_000, idle_timeout_ms: 30_000 }

/** One handler for each engine route. */
export function engineRoutes(engines: Engines): Handlers<typeof contract> {
  const entry = (engine: KnownEngine) => toEntry(engine, engine === engines.standard)
  /** What is called; its key may be the stored one of an engine. */
  function connection({ engine_id, ...given }: EngineConnection & { engine_id?: string | null | undefined }) {
    const kept = engine_id === null ? null : engine_id === undefined ? engines.standard : engines.find(engine_id)
    const place = { provider: given.provider, base_url: engineAddress(given) }
    const request = requestFor(given, kept)
    return { ...place, request, api_key: engines.keyFor({ ...place, api_key: given.api_key }, kept), kept }
  }
  /** As many tokens as its runs have, where it is known: a local engine loads a model anew for another number. */
  function contextForTest(kept: KnownEngine | null, place: Place, model: string, given: number | undefined): number {
    const known = kept !== null && placeOf(kept) === placeOf(place) ? kept : null
    return contextOf(given ?? known?.context_tokens ?? FOR_TESTS.context_tokens, known?.facts.get(model) ?? NO_FACTS)
  }
  const removeDefault = async (caller: Caller) => {
    if (engines.standard !== null) await engines.remove(caller, engines.standard.engine_id)
    return { ok: true as const, ai: toState(engines.standard) }
  }
  return {
    engine: () => toState(engines.standard),
    saveEngine: async ({ caller, body }) => {
      const before = engines.standard
      // One that is called like its model goes on to be.
      const name = before === null || before.name === before.model ? body.model : before.name
      const models = before?.models.filter((model) => model !== before.model) ?? []
      await engines.save(caller, before?.engine_id ?? null, { ...body, name, models })
      return { ok: true, ai: toState(engines.standard) }
    },
    removeEngine: ({ caller }) => removeDefault(caller),
    listEngines: () => ({ items: engines.all.map(entry), titles: engines.titles }),
    addEngine: async ({ caller, body }) => ({ ok: true, engine: entry(await engines.save(caller, null, body)) }),
    updateEngine: async ({ caller, params, body }) => ({
      ok: true,
      engine: entry(await engines.save(caller, params.engine_id, body)),
    }),
    deleteEngine: async ({ caller, params: { engine_id } }) => {
      await engines.remove(caller, engine_id)
      return { ok: true, deleted: engine_id }
    },
    probeModel: async ({ caller, params: { engine_id }, body: { model }, signal }) => {
      const engine = engines.find(engine_id)
      if (!engine.models.includes(model)) throw new AppError('not_found', say`This engine has no such model.`)
      const probed = await probe({ ...engine, model }, engine.facts.get(model) ?? NO_FACTS, signal)
      await engines.found(engine, model, probed)
      const problem = probed.problem?.in(caller.language) ?? null
      return { ok: true, engine: entry(engines.find(engine_id)), problem }
    },
    setModelFacts: async ({ caller, params: { engine_id }, body: { model, context, ...can } }) => {
      const flags = Object.entries(can).map(([name, value]) => [name, value === null ? null : Number(value)])
      const values = { ...Object.fromEntries(flags), ...(context !== undefined && { context }) } as FactValues
      return { ok: true, engine: entry(await engines.setFacts(caller, engine_id, model, values)) }
    },
    saveTitles: async ({ caller, body: { titles } }) => {
      await engines.setTitles(caller, titles)
      return { ok: true, titles: engines.titles }
    },
    testEngine: ({ caller, body: { model, context_tokens: given, ...place }, signal }) => {
      const { kept, ...connected } = connection(place)
      const context_tokens = contextForTest(kept, connected, model, given)
      return testEngine({ ...FOR_TESTS, ...connected, model, context_tokens }, caller.language, signal)
    },
    listModels: async ({ body, signal }) => ({ items: await listModels(connection(body), signal) }),
  }
}
