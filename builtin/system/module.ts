import manifest from './manifest.json' with { type: 'json' }

/** The system module for the host: its manifest at once, its code only when it is started. */
export const systemModule = {
  manifest,
  async createServer() {
    const { createServer } = await import('./server.ts')
    return createServer()
  },
}
