import { z } from 'zod'
import { route } from './route.ts'

/** Bytes of one message of a client: arguments of a call, mostly. */
const MCP_BODY_LIMIT = 1024 * 1024

/** Reeve as a server for MCP clients: its tools, under the same rules. */
export const gateway = {
  mcp: route({
    method: 'POST',
    path: '/mcp',
    summary: 'The Model Context Protocol over streamable HTTP, stateless; with an access token for MCP clients',
    access: 'session',
    audience: 'mcp',
    permissions: ['codex.use'],
    // Each may wait for long: what waits at once is limited by client.
    rateLimit: 600,
    onAsk: 'card',
    headers: z.looseObject({}),
    body: { kind: 'raw', limit: MCP_BODY_LIMIT },
    response: { kind: 'relayed' },
    errors: [],
  }),
}
