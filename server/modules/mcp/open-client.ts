import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client'
import { boundedCheck } from './bounded-check.ts'
import { LEGACY, TryLegacy } from './legacy.ts'
import type { ModuleLink } from '../spec/module-link.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { CHECK_MS } from './pinned-tool.ts'
import { TASKS_EXTENSION } from './tasks/task-forms.ts'

/** A legacy server may leave a request that it does not know unanswered. */
const PROBE_MS = 4000

/**
 * Creates the official client for a module, not yet connected. What it declares about itself never changes, because
 * what a server offers may depend on it and tools are compared across starts.
 */
export async function createClient(spec: Pick<ModuleSpec, 'version' | 'kind' | 'folders'>): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client')
  // The client asks for the validator of a schema again at every call.
  const checks = new WeakMap<object, (value: unknown) => string | null>()
  const client = new Client(
    { name: 'reeve', version: '1.0.0' },
    {
      capabilities: {
        elicitation: { form: { applyDefaults: true }, url: {} },
        roots: {},
        extensions: { [TASKS_EXTENSION]: {} },
      },
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
 * Connects with the newest protocol that both sides understand. Rejects with `TryLegacy` when the negotiation itself
 * broke the module, which is then to be started again and asked the old way.
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

/** The stored value may have any shape by now. */
function priorOf(probe: unknown): PriorDiscovery | null {
  if (probe === null || typeof probe !== 'object' || !('kind' in probe)) return null
  if (probe.kind === 'legacy') return LEGACY
  return probe.kind === 'modern' && 'discover' in probe ? (probe as PriorDiscovery) : null
}
