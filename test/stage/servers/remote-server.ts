import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { ModuleSpec } from '../../../server/modules/spec/module-spec.ts'
import { openRemote, openRemoteEvents } from '../../../server/modules/spec/open-remote.ts'

/** An HTTP server on this machine that answers as it is told; `seen` are the requests so far. */
export async function serve(listener: RequestListener) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A good MCP server over HTTP, in both eras. */
export function mcp(text = 'hello from afar'): RequestListener {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'remote', version: '2.0.0' }, { capabilities: { tools: {} } })
    const inputSchema = fromJsonSchema({ type: 'object' })
    server.registerTool('hello', { inputSchema }, () => ({ content: [{ type: 'text', text }] }))
    return server
  })
  return (request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const answer = await handler.fetch(
        new Request(`http://${request.headers.host}${request.url}`, {
          method: request.method ?? 'GET',
          headers: request.headers as Record<string, string>,
          ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
        }),
      )
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk)
      response.end()
    })()
  }
}

export function remoteSpec(
  url: string,
  more: { token?: string; headers?: ReadonlyMap<string, string>; allow_private?: boolean } = {},
): ModuleSpec {
  const { token = null, headers = new Map<string, string>(), allow_private = true } = more
  const options = { url, token, headers, allow_private }
  return {
    name: 'far',
    display_name: 'Far',
    version: '',
    kind: 'remote',
    reach: 'machine',
    fingerprint: url,
    pins: new Map(),
    secrets: [...(token === null ? [] : [token]), ...headers.values()],
    probe: undefined,
    onProbe: () => undefined,
    open: (signal) => openRemote({ ...options, signal }),
    openOld: (signal) => openRemoteEvents({ ...options, signal }),
  }
}
