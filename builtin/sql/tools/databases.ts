import { z } from 'zod'
import { tool } from '../../tool.ts'
import { openDatabase } from '../connections/open-database.ts'
import type { SqlSettings } from '../connections/sql-settings.ts'

const PATIENCE_MS = 5000

/** Lists the configured databases. */
export const databasesTool = (settings: SqlSettings) =>
  tool({
    name: 'databases',
    title: 'Databases',
    description:
      'The databases that an administrator has set up: name, kind, version, and whether each answers now. Use it first.',
    effect: 'read',
    input: z.strictObject({}),
    async run(_input, { signal }) {
      const either = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
      const rows = await Promise.all(
        [...settings.connections.keys()].map(async (name) => {
          const kind = /^([a-z]+):/i.exec(settings.connections.get(name) ?? '')?.[1]?.toLowerCase() ?? 'unknown'
          try {
            const database = await openDatabase(name, settings)
            return { name, kind, reachable: true, about: await database.about(either) }
          } catch (error) {
            signal.throwIfAborted()
            const message = either.aborted
              ? `No answer within ${PATIENCE_MS / 1000} s.`
              : error instanceof Error
                ? error.message
                : String(error)
            return { name, kind, reachable: false, about: message }
          }
        }),
      )
      const writing = settings.readOnly
        ? 'The setting "Read only" is on: nothing can be changed.'
        : 'Changes are possible with "execute".'
      if (rows.length === 0)
        return { text: 'No database is set up. An administrator adds one in the settings of the SQL module.' }
      return {
        text: `${rows.length} databases, ${rows.filter((row) => row.reachable).length} answer. ${writing}`,
        tables: [
          {
            title: 'Databases',
            columns: [
              { key: 'name', label: 'Name', type: 'text' },
              { key: 'kind', label: 'Kind', type: 'text' },
              { key: 'reachable', label: 'Answers', type: 'boolean' },
              { key: 'about', label: 'About', type: 'text' },
            ],
            rows,
          },
        ],
      }
    },
  })
