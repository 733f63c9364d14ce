/**
 * MCP servers of earlier revisions, written by hand so that they can be as old, as forgetful or as rude as a test wants.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

interface Rpc {
  readonly id?: number | string
  readonly method: string
  readonly params?: Record<string, unknown>
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const TOOLS = [
  { name: 'hello', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'write', inputSchema: { type: 'object' } },
]

/** The result of a request; undefined for what is not answered. */
function resultOf({ method, params }: Rpc, onCall: (name: string) => string): unknown {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-03-26',
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'old', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools: TOOLS }
  if (method === 'tools/call') return { content: [{ type: 'text', text: onCall(String(params?.['name'])) }] }
  return method === 'ping' ? {} : undefined
}

const rpc = (id: unknown, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result })
const noMethod = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })

/** A server of 2024: one stream of events, and an address to post to that the stream names. */
export function eventServer(options: { endpoint?: (session: string) => string } = {}) {
  const streams = new Map<string, ServerResponse>()
  const calls: string[] = []
  const listener: RequestListener = (request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://here')
      if (request.method === 'GET' && url.pathname === '/mcp') {
        const session = randomUUID()
        streams.set(session, response)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`event: endpoint\ndata: ${options.endpoint?.(session) ?? `/messages?session=${session}`}\n\n`)
        return
      }
      const stream = streams.get(url.searchParams.get('session') ?? '')
      if (request.method !== 'POST' || url.pathname !== '/messages' || stream === undefined) {
        response.writeHead(request.method === 'POST' ? 405 : 404).end()
        return
      }
      const message = JSON.parse(await bodyOf(request)) as Rpc
      response.writeHead(202).end()
      if (message.id === undefined) return
      const result = resultOf(message, (name) => (calls.push(name), `${name} from long ago`))
      stream.write(`event: message\ndata: ${result === undefined ? noMethod(message.id) : rpc(message.id, result)}\n\n`)
    })()
  }
  return { listener, calls, streams }
}

/** A server of 2025 that keeps sessions, and can be made to forget them. `late`: it forgets only after having begun a call. */
export function sessionServer(options: { status?: 404 | 400; refusal?: string } = {}) {
  const sessions = new Set<string>()
  const calls: string[] = []
  const levels: unknown[] = []
  let breaks = false
  const listener: RequestListener = (request, response) => {
    void (async () => {
      if (request.method !== 'POST') return response.writeHead(405).end()
      const message = JSON.parse(await bodyOf(request)) as Rpc
      const json = { 'content-type': 'application/json' }
      if (message.method === 'server/discover') return response.writeHead(400, json).end(noMethod(message.id))
      const session = String(request.headers['mcp-session-id'])
      if (message.method === 'initialize') {
        const opened = randomUUID()
        sessions.add(opened)
        response.writeHead(200, { ...json, 'mcp-session-id': opened })
      } else if (!sessions.has(session)) {
        const error = { code: -32000, message: 'Bad Request: No valid session ID provided' }
        return response.writeHead(options.status ?? 404, json).end(JSON.stringify({ jsonrpc: '2.0', error, id: null }))
      } else if (message.id === undefined) return response.writeHead(202).end()
      else if (breaks && message.method === 'tools/call') {
        calls.push(String(message.params?.['name']))
        return request.socket.destroy()
      } else if (options.refusal !== undefined && message.method === 'tools/call') {
        calls.push(String(message.params?.['name']))
        return response.writeHead(400, json).end(options.refusal)
      } else response.writeHead(200, json)
      if (message.method === 'logging/setLevel') {
        levels.push(message.params?.['level'])
        return response.end(rpc(message.id, {}))
      }
      const result = resultOf(message, (name) => (calls.push(name), `${name} in a session`))
      return response.end(result === undefined ? noMethod(message.id) : rpc(message.id, result))
    })()
  }
  return {
    listener,
    calls,
    levels,
    opened: () => sessions.size,
    forget: () => sessions.clear(),
    breakCalls: () => (breaks = true),
  }
}
