import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client'
import { boundedCheck } from './bounded-check.ts'
import type { ModuleLink } from './module-link.ts'
import type { ModuleSpec } from './module-spec.ts'
import { CHECK_MS } from './pinned-tool.ts'

/** A legacy server may leave a question from before its time unanswered. */
const PROBE_MS = 4000

/**
 * Makes the official client for a module; not connected. What it declares about itself never changes: what a server offers may depend
 * on it, and tools are compared from start to start.
 */
export async function createClient(spec: Pick<ModuleSpec, 'version' | 'kind' | 'folders'>): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client')
  // The client asks for the same schema at every call.
  const checks = new WeakMap<object, (value: unknown) => string | null>()
  const client = new Client(
    { name: 'reeve', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} }, roots: {} },
      versionNegotiation:
        spec.kind === 'builtin' ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs: PROBE_MS } },
      jsonSchemaValidator: {
        getValidator: <T>(schema: object) => {
          let check = checks.get(schema)
          if (check === undefined) checks.set(schema, (check = boundedCheck(schema, 'output schema', CHECK_MS * 2)))
          const checked = check
          return (value: unknown) => {
            const errorMessage = checked(value)
            return errorMessage === null
              ? { valid: true as const, data: value as T, errorMessage: undefined }
              : { valid: false as const, data: undefined, errorMessage }
          }
        },
      },
    },
  )
  client.setRequestHandler('roots/list', () => ({
    roots: (spec.folders ?? []).map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })),
  }))
  return client
}

/**
 * Connects in the newest way that both understand. Rejects with `TryLegacy` where a module broke over the question which way that
 * is: it is to be started once more, and asked in the old way.
 */
export async function connectClient(
  client: Client,
  link: ModuleLink,
  spec: Pick<ModuleSpec, 'kind' | 'probe' | 'onProbe'>,
  timeout: number,
  signal: AbortSignal,
): Promise<void> {
  const prior = priorOf(spec.probe)
  try {
    await client.connect(link.transport, { timeout, signal, ...(prior === null ? {} : { prior }) })
  } catch (error) {
    if (spec.kind !== 'bundle' || prior !== null || signal.aborted) throw error
    throw new TryLegacy(error)
  }
  if (prior !== null || spec.kind !== 'bundle') return
  const discover = client.getDiscoverResult()
  spec.onProbe(discover === undefined ? LEGACY : { kind: 'modern', discover })
}

export const LEGACY: PriorDiscovery = { kind: 'legacy' }

export class TryLegacy extends Error {
  override readonly name = 'TryLegacy'
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** What was stored may be anything by now. */
function priorOf(probe: unknown): PriorDiscovery | null {
  if (probe === null || typeof probe !== 'object' || !('kind' in probe)) return null
  if (probe.kind === 'legacy') return LEGACY
  return probe.kind === 'modern' && 'discover' in probe ? (probe as PriorDiscovery) : null
}
