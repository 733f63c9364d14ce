import type { BuiltinModule, BuiltinSettings } from './builtin-module.ts'
import { say } from '../../kernel/sentence.ts'
import type { ModuleExit, ModuleLink } from './module-link.ts'

/**
 * Starts a built-in module in this process and links it through a pair of in-memory transports. Rejects when it does
 * not start.
 */
export async function openInProcess(builtin: BuiltinModule, settings: BuiltinSettings): Promise<ModuleLink> {
  const { InMemoryTransport } = await import('@modelcontextprotocol/client')
  const server = await builtin.createServer(settings)
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const gone = Promise.withResolvers<ModuleExit>()
  await server.connect(theirs)
  // Set by the server when it connected; it must still learn of the end.
  const onclose = theirs.onclose
  theirs.onclose = () => {
    onclose?.()
    gone.resolve({ code: null, signal: null, reason: say`It closed the connection.` })
  }
  return {
    transport: ours,
    isolation: { level: 'builtin', reason: say`It is part of this program and runs in its process.` },
    process: () => null,
    stderr: () => [],
    gone: gone.promise,
    close: () => server.close(),
  }
}
