import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { contract } from '../../../contract/index.ts'
import type { TestClient } from '../client.ts'

/** Both ways in which clients speak to a server: the revision of 2026, and those before it. */
export const ERAS = ['2026-07-28', '2025-11-25'] as const
export type Era = (typeof ERAS)[number]

const DAY = 86_400_000

/** A token of this person for MCP clients. */
export async function clientToken(person: TestClient, permissions: string[], name = 'agent') {
  const expires_at = new Date(Date.now() + 30 * DAY).toISOString()
  const body = { name, permissions, expires_at, audience: 'mcp' as const }
  return person.call(contract.accounts.createToken, { body })
}

export type McpClient = Client & AsyncDisposable

/** The official client, connected to the real service. */
export async function connectMcp(url: string, token: string, era: Era): Promise<McpClient> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : { versionNegotiation: { mode: 'legacy' } },
  )
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

/** What a result says in words, and to programs. */
function read(result: Awaited<ReturnType<Client['callTool']>>) {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text?: string; uri?: string; mimeType?: string }[]
    structuredContent?: { status: string; call?: string; open?: string }
    isError?: boolean
  }
  return {
    ...structuredContent,
    text: content.map(({ text }) => text ?? '').join('\n'),
    content,
    isError: isError === true,
  }
}

/** Calls a tool, and asks again for its result for as long as it runs. */
export async function callThrough(client: Client, name: string, args: Record<string, unknown> = {}) {
  let said = read(await client.callTool({ name, arguments: args }))
  while (said.status === 'running')
    said = read(await client.callTool({ name: 'reeve_result', arguments: { call: said.call } }))
  return said
}
