import type { CommandWatch } from '../../server/modules/process/command-watch.ts'
import manifest from './manifest.json' with { type: 'json' }

/**
 * The system module for the host: its manifest is loaded at once, its code only when it starts. `commands` ends running
 * commands with the service.
 */
export function systemModule(commands: Pick<CommandWatch, 'watch'> | null) {
  return {
    manifest,
    locales: new URL('./locales/', import.meta.url),
    reach: 'machine' as const,
    async createServer() {
      const { createServer } = await import('./server.ts')
      return createServer(commands)
    },
  }
}
