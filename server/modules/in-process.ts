import type { Transport } from '@modelcontextprotocol/client'
import type { BuiltinModule } from './builtin-module.ts'

/** The way to a module: what the official client speaks through, and how the other end is stopped. */
export interface ModuleLink {
  readonly transport: Transport
  close(): Promise<void>
}

/** Starts a built-in module in this process and links it by a pair of in-memory transports. Rejects when it does not start. */
export async function openInProcess(builtin: BuiltinModule): Promise<ModuleLink> {
  const { InMemoryTransport } = await import('@modelcontextprotocol/client')
  const server = await builtin.createServer()
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  return { transport: ours, close: () => server.close() }
}
