import { buffer } from 'node:stream/consumers'
import { createMcpHandler, type McpRequestContext, Server } from '@modelcontextprotocol/server'
import type { gateway as contract } from '../../contract/gateway.ts'
import type { Handlers } from '../../contract/route.ts'
import { callFound, callResult, callTool, find } from './call-tool.ts'
import { answered } from './failures.ts'
import { isLong, pinnedTools } from './find-tools.ts'
import { CALL, FIND, RESULT } from './own-tools.ts'
import type { ClientRequest, GatewayContext } from './ports.ts'
import { describeTool, offeredTools } from './tool-list.ts'

/** Tells models how waiting works, whichever tool they call first. */
const INSTRUCTIONS = `Tools of a machine that people administer with Reeve, under their rules. \
Some calls wait until a person agrees: then nothing has run, and the result has the status waiting_approval with a \
handle and a link. Give the link to the person, and call reeve_result with the handle; do not call the tool again. \
After the status unknown, look what is there before you try again.`

/** Headers that say who asks; they have been read, and are nobody else's business. */
const CREDENTIALS = new Set(['authorization', 'cookie'])

/** Reeve as an MCP server. Nothing is kept between two requests: a server object is made for each. */
export function gatewayRoutes(context: GatewayContext): Handlers<typeof contract> {
  const handler = createMcpHandler((mcp) => serverFor(context, requestOf(mcp)), {
    // There is nothing to subscribe to: a client asks for the list when it wants it.
    maxSubscriptions: 0,
    onerror: (error) => context.log.debug({ err: error }, 'a request of an MCP client failed'),
  })
  return {
    mcp: async ({ caller, asks, client, signal, headers, body }) => {
      const about: ClientRequest = { caller, asks, origin: client.origin, signal }
      const given = Object.entries(headers).filter(
        (header): header is [string, string] => typeof header[1] === 'string' && !CREDENTIALS.has(header[0]),
      )
      const request = new Request(`${client.origin || 'http://localhost'}/mcp`, {
        method: 'POST',
        headers: given,
        body: await buffer(body),
        signal,
      })
      const authInfo = { token: '', clientId: caller.session_id, scopes: [], extra: { about } }
      return handler.fetch(request, { authInfo })
    },
  }
}

function requestOf({ authInfo }: McpRequestContext): ClientRequest {
  // The handler below gave it.
  return (authInfo!.extra as { readonly about: ClientRequest }).about
}

function serverFor(context: GatewayContext, request: ClientRequest): Server {
  const server = new Server(
    { name: 'reeve', title: 'Reeve', version: context.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler('tools/list', () => answered(context, () => listTools(context, request)))
  server.setRequestHandler('tools/call', ({ params: { name, arguments: input = {} } }) =>
    answered(context, () => {
      if (name === RESULT.name) return callResult(context, request, input)
      if (name === CALL.name) return callFound(context, request, input)
      if (name === FIND.name) return find(context, request, input)
      return callTool(context, request, name, input)
    }),
  )
  return server
}

async function listTools(context: GatewayContext, { caller }: ClientRequest) {
  const offered = await offeredTools(context, caller)
  const tools = isLong(offered)
    ? [...pinnedTools(offered).map(describeTool), FIND, CALL, RESULT]
    : [...offered.map(describeTool), RESULT]
  return { tools, cacheScope: 'private' as const, ttlMs: 0 }
}
