import type { ModuleFiles } from '../../server/modules/module-files.ts'
import type { Tables } from '../../server/tables/tables.ts'
import manifest from './manifest.json' with { type: 'json' }

/**
 * The tables module for the host: it reads stored files only through `files`, on behalf of the person who started the
 * run.
 */
export function tablesModule(files: ModuleFiles, tables: Tables) {
  return {
    manifest,
    locales: new URL('./locales/', import.meta.url),
    reach: 'own' as const,
    async createServer() {
      const { createServer } = await import('./server.ts')
      return createServer({ files, tables })
    },
  }
}
