import type { PriorDiscovery } from '@modelcontextprotocol/client'

/** What is known of a module that is to be asked the old way. */
export const LEGACY: PriorDiscovery = { kind: 'legacy' }

/** The negotiation itself broke the module. */
export class TryLegacy extends Error {
  override readonly name = 'TryLegacy'
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
