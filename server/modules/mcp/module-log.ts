import type { Client } from '@modelcontextprotocol/client'
import type { LogLevel } from '../../../contract/modules.ts'
import type { HostLog } from '../spec/host-log.ts'
import type { ModuleLink } from '../spec/module-link.ts'

const ASK_MS = 5000
const LENGTH = 2000
/** The key in a request's `_meta` that says from which level on a server of 2026 may tell what it does. */
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel'

/**
 * What a module tells of itself by the protocol, as lines of its log with their level, and from which level on it is to.
 * Nothing is asked of a module without a chosen level, nor of one that does not log in this way.
 */
export function openModuleLog(client: Client, link: ModuleLink, module: string, log: HostLog) {
  let wanted: LogLevel | null = null
  let refused = false
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    link.note?.(`[${level}] ${logger === undefined ? '' : `${logger}: `}${text ?? ''}`.slice(0, LENGTH))
  })
  const logs = () => client.getServerCapabilities()?.logging !== undefined
  return {
    /**
     * Tells a server of 2025 at once, and again with the next look at what is wanted if it did not take it; one of 2026 is
     * told with each call. There is no message for no level: such a server keeps its last one until it starts anew.
     */
    async level(next: LogLevel | null): Promise<void> {
      if (next === wanted && !refused) return
      wanted = next
      refused = false
      if (next === null || !logs() || client.getProtocolEra() === 'modern') return
      try {
        await client.setLoggingLevel(next, { timeout: ASK_MS })
      } catch (error) {
        if (wanted === next) refused = true
        log.warn({ module, err: error }, 'level of the log of a module not accepted')
      }
    },
    meta: (): Record<string, unknown> =>
      wanted !== null && logs() && client.getProtocolEra() === 'modern' ? { [LEVEL_KEY]: wanted } : {},
  }
}
