import type { Machines } from '../../server/modules/machines.ts'
import manifest from './manifest.json' with { type: 'json' }

/**
 * The system module for the host: its manifest is loaded at once, its code only when it starts. `machines` are
 * those that its calls may name.
 */
export function systemModule(machines: Machines) {
  return {
    manifest,
    locales: new URL('./locales/', import.meta.url),
    reach: 'machine' as const,
    async createServer() {
      const { createServer } = await import('./server.ts')
      return createServer(machines)
    },
  }
}
