import type { BuiltinSettings } from '../../server/modules/spec/builtin-module.ts'
import manifest from './manifest.json' with { type: 'json' }

/** The SQL module for the host. SQLite files below `dataFolder`, where Reeve keeps its own, are refused. */
export function sqlModule(dataFolder: string) {
  return {
    manifest,
    locales: new URL('./locales/', import.meta.url),
    reach: 'machine' as const,
    async createServer(settings: BuiltinSettings) {
      const { createServer } = await import('./server.ts')
      return createServer(settings, dataFolder)
    },
  }
}
