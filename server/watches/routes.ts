import type { Handlers } from '../../contract/route.ts'
import type { watches as contract } from '../../contract/watches.ts'
import { createWatch, removeWatch, theWatch, updateWatch } from './change-watches.ts'
import { listCrossings, listWatches, readShown } from './list-watches.ts'
import { tryWatch } from './try-watch.ts'
import { watchOptions } from './watch-options.ts'
import type { WatchesContext } from './watches-context.ts'

/** The handlers of watches. */
export function watchRoutes(context: WatchesContext): Handlers<typeof contract> {
  const { read } = context.db
  return {
    listWatches: async ({ caller }) => ({ items: await listWatches(read, caller) }),
    watchOptions: ({ caller }) => watchOptions(context, caller),
    createWatch: async ({ caller, body }) => {
      const watch_id = await createWatch(context, caller, body)
      return { ok: true, watch: await readShown(read, caller, watch_id) }
    },
    updateWatch: async ({ caller, params: { watch_id }, body }) => {
      await updateWatch(context, caller, watch_id, body)
      return { ok: true, watch: await readShown(read, caller, watch_id) }
    },
    removeWatch: async ({ caller, params: { watch_id } }) => {
      await removeWatch(context, caller, watch_id)
      return { ok: true, deleted: watch_id }
    },
    tryWatch: ({ caller, body, signal }) => tryWatch(context, caller, body, signal),
    listCrossings: async ({ caller, params: { watch_id }, query }) => {
      await theWatch(read, caller, watch_id)
      return listCrossings(read, watch_id, query)
    },
  }
}
