import type { Handlers, Route } from '../../contract/route.ts'

/**
 * Handlers whose code is loaded with the first request for one of them, so that no start waits for it. A failure to
 * load is that request's; the next one tries again.
 */
export function loadedAtFirst<G extends Record<string, Route>>(
  group: G,
  load: () => Promise<Handlers<G>>,
): Handlers<G> {
  let loading: Promise<Handlers<G>> | null = null
  const loaded = () =>
    (loading ??= load().catch((error: unknown) => {
      loading = null
      throw error
    }))
  const handlers = Object.keys(group).map((name) => [
    name,
    async (input: Parameters<Handlers<G>[string]>[0]) => (await loaded())[name]!(input),
  ])
  return Object.fromEntries(handlers) as Handlers<G>
}
