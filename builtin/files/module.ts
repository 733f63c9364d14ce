import type { ModuleFiles } from '../../server/modules/module-files.ts'
import manifest from './manifest.json' with { type: 'json' }

/** The files module for the host: it reads stored files through `files` only, as the person of the run. */
export function filesModule(files: ModuleFiles) {
  return {
    manifest,
    async createServer() {
      const { createServer } = await import('./server.ts')
      return createServer(files)
    },
  }
}
