import type { BuiltinSettings } from '../../server/modules/spec/builtin-module.ts'
import manifest from './manifest.json' with { type: 'json' }

/** The HTTP module for the host. */
export const httpModule = {
  manifest,
  locales: new URL('./locales/', import.meta.url),
  reach: 'own' as const,
  async createServer(settings: BuiltinSettings) {
    const { createServer } = await import('./server.ts')
    return createServer(settings)
  },
}
