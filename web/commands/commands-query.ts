import { queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'

type CommandPage = Output<'GET /api/quick-commands'>

/** The user's quick commands and folders, by name. `command.changed` makes them stale (refresh-on-activity). */
export const commandsQuery = queryOptions({
  queryKey: ['commands'],
  queryFn: async ({ signal }): Promise<Pick<CommandPage, 'items' | 'folders'>> => {
    const items: CommandPage['items'] = []
    let cursor: string | null = null
    for (;;) {
      const page: CommandPage = await call('GET /api/quick-commands', {
        query: { limit: 200, ...(cursor !== null && { cursor }) },
        signal,
      })
      items.push(...page.items)
      cursor = page.next_cursor
      if (cursor === null) return { items, folders: page.folders }
    }
  },
  staleTime: 60_000,
})
