/**
 * A client for the MCP conformance suite: the host as the service runs it, with one remote module. The suite starts it with the address
 * of its server, and judges what it then does: connect, list, call.
 */
import type { ToolAnswer } from '../../server/chat/ports/tools.ts'
import { openHost } from '../../server/modules/host.ts'
import { openGuardedFetch } from '../../server/kernel/network/guarded-fetch.ts'
import { openRemote } from '../../server/modules/spec/open-remote.ts'
import { oneConnection } from './one-connection.ts'
import { toolRequest } from '../stage/tool-request.ts'

const url = process.argv.at(-1) ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[]
  client_id?: string
  client_secret?: string
}
const AUTHORIZED = (process.env['MCP_CONFORMANCE_SCENARIO'] ?? '').startsWith('auth/')
/** How often somebody would agree to what a server wants in addition. */
const AGREES = 2

/** The least that fits a schema. */
function sample(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, { type?: string; default?: unknown }>
  const values: Record<string, unknown> = {
    string: 'text',
    integer: 1,
    number: 1.5,
    boolean: true,
    array: [],
    object: {},
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, property.default ?? values[property.type ?? 'string']]),
  )
}

const log = {
  info: () => undefined,
  warn: (fields: object, text: string) => process.stderr.write(`${text} ${JSON.stringify(fields)}\n`),
}
await using guarded = openGuardedFetch({ allowPrivate: true })
const connection = oneConnection(url, guarded.fetch, context)
await using host = openHost({ log })
host.apply([
  {
    name: 'suite',
    display_name: 'Suite',
    version: '',
    kind: 'remote',
    reach: 'machine',
    fingerprint: url,
    pins: new Map(),
    secrets: [],
    probe: undefined,
    onProbe: () => undefined,
    open: (signal) =>
      openRemote({ url, token: null, allow_private: true, signal, ...(AUTHORIZED && { access: connection.access }) }),
  },
])
if (AUTHORIZED) await connection.connect()
for (let agreed = 0; ; agreed++) {
  try {
    await host.started('suite')
    break
  } catch (error) {
    if (!connection.broken || agreed >= AGREES) throw error
    await connection.connect()
  }
}
const focal = host.find('suite', 'json_schema_2020_12_tool')
const calls =
  context.toolCalls ??
  host.list().map((tool) => ({
    name: tool.name,
    // One scenario wants to see what became of a schema on its way through the host.
    arguments: tool.name === 'json_schema_echo' ? { schema: focal?.input_schema } : sample(tool.input_schema),
  }))
for (const { name, arguments: input } of calls) {
  const ask = (): Promise<ToolAnswer> => Promise.resolve({ action: 'accept', content: {} })
  const call = () => host.call(toolRequest('suite', name, input, { ask }), AbortSignal.timeout(20_000), () => undefined)
  let result = await call()
  for (let agreed = 0; connection.broken && agreed < AGREES; agreed++) {
    await connection.connect()
    await host.started('suite')
    result = await call()
  }
  process.stdout.write(`${name}: ${result.status} ${result.text.slice(0, 500)}\n`)
}
