import type { Offers } from '../../chat/ports/offers.ts'
import { promptTexts } from '../mcp/prompt-list.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { wordingOf } from './module-wording.ts'
import { displayName } from './store/module-entry.ts'

/** What the running modules offer people beside tools: prompts, resources, and suggestions for what both are filled in with. */
export function moduleOffers({ host, records }: Pick<CatalogueContext, 'host' | 'records'>): Offers {
  const running = () => [...records().values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const has = (module: string, capability: string) =>
    host.runtime(module)?.protocol?.capabilities.includes(capability) === true
  return {
    prompts: (language) =>
      running().flatMap((record) =>
        (host.runtime(record.name)?.prompts ?? []).map((prompt) => ({
          ...promptTexts(prompt, wordingOf(record, language)),
          module: record.name,
          module_title: displayName(record, language),
          ...(has(record.name, 'completions') && { completes: true as const }),
        })),
      ),
    promptText: (module, prompt, args) => host.ask(module, 'prompt', { prompt, args }),
    resourceModules: (language) =>
      running()
        .filter(({ name }) => has(name, 'resources'))
        .map((record) => ({
          module: record.name,
          title: displayName(record, language),
          builtin: record.kind === 'builtin',
        })),
    async resources(module, language) {
      const listed = await host.ask(module, 'resources', null)
      const record = records().get(module)
      if (record === undefined) return listed
      const { text } = wordingOf(record, language)
      const worded = <R extends { title: string; description: string }>(each: R): R => ({
        ...each,
        title: text(each.title),
        description: text(each.description),
      })
      return { ...listed, resources: listed.resources.map(worded), templates: listed.templates.map(worded) }
    },
    readResource: (module, chosen, signal) => host.ask(module, 'read', chosen, signal),
    complete: (module, completing, signal) => host.ask(module, 'complete', completing, signal),
  }
}
