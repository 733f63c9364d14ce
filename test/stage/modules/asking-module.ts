import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'

interface Asked {
  message: string
  schema?: Record<string, unknown>
  url?: string
  /** How often it asks the same, one after the other; all at once with `together`. */
  times?: number
  together?: boolean
}

const ask = { type: 'object' as const, properties: { message: { type: 'string' } }, required: ['message'] }
const TOOLS = [
  { name: 'ask', title: 'Ask', inputSchema: ask, annotations: { readOnlyHint: true } },
  { name: 'act', title: 'Act', inputSchema: ask, annotations: { readOnlyHint: false, destructiveHint: true } },
  { name: 'draw', title: 'Draw', inputSchema: { type: 'object' as const }, annotations: { readOnlyHint: true } },
]
const PROMPTS = [
  {
    name: 'greet',
    title: 'Greet somebody',
    description: 'A greeting',
    arguments: [{ name: 'name', description: 'Whom', required: true }, { name: 'tone' }],
  },
  { name: 'broken/one', description: 'Never works' },
  { name: 'long' },
]

const manifest = {
  manifest_version: '0.3',
  name: 'asker',
  display_name: 'Asker',
  version: '1.0.0',
  description: 'Asks in the middle of a call',
  author: { name: 'Reeve' },
  server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
}

/** A module that asks in the middle of its calls, makes files, and brings prompts along. */
export const askingModule: BuiltinModule = {
  manifest,
  reach: 'own',
  createServer: () => {
    const server = new Server({ name: 'asker', version: '1.0.0' }, { capabilities: { tools: {}, prompts: {} } })
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      if (params.name === 'draw') {
        const { files } = params.arguments as { files: { name: string; media_type: string; data: string }[] }
        const content = files.map(({ name, media_type, data }) => ({
          type: 'resource' as const,
          resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType: media_type, blob: data },
        }))
        return { content: [{ type: 'text' as const, text: 'Drawn.' }, ...content] }
      }
      const { message, schema, url, times = 1, together = false } = params.arguments as unknown as Asked
      const question =
        url === undefined
          ? { mode: 'form', message, requestedSchema: schema }
          : { mode: 'url', message, url, elicitationId: 'e1' }
      const once = () => mcpReq.elicitInput(question as never, { signal: mcpReq.signal, timeout: 600_000 })
      const answers: unknown[] = []
      if (together) answers.push(...(await Promise.all(Array.from({ length: times }, once))))
      else for (let i = 0; i < times; i++) answers.push(await once())
      return { content: [{ type: 'text' as const, text: JSON.stringify(answers) }] }
    })
    server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }))
    server.setRequestHandler('prompts/get', ({ params }) => {
      const { name, tone = 'kindly' } = params.arguments ?? {}
      if (params.name === 'broken/one') throw new ProtocolError(ProtocolErrorCode.InternalError, 'It is broken.')
      const text = params.name === 'long' ? 'x'.repeat(30_000) : `Greet ${name} ${tone}.`
      return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] }
    })
    return Promise.resolve(server as never)
  },
}
