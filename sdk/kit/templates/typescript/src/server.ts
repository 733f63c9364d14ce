import { readFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

// Standard output belongs to the protocol. Whatever you want to say to the administrator goes to standard error.
const manifest = JSON.parse(readFileSync(new URL('../manifest.json', import.meta.url), 'utf8')) as { version: string }
const server = new McpServer({ name: '{{name}}', version: manifest.version })

server.registerTool(
  'greet',
  {
    title: 'Greet',
    description: 'Greets somebody by name. Use it when the person asks for a greeting.',
    inputSchema: z.object({ name: z.string().min(1).max(100).describe('Whom to greet') }).strict(),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  ({ name }) => {
    const who = name.trim()
    // A tool that fails is a result, so that the assistant can read why.
    if (who === '')
      return { content: [{ type: 'text', text: '"name" must be a text that is not empty.' }], isError: true }
    return { content: [{ type: 'text', text: `${process.env['GREETING'] ?? 'Hello'}, ${who}.` }] }
  },
)

// What a person can attach to a message: read when it is asked for.
server.registerResource(
  'words',
  'greetings://words',
  { title: 'Words of greeting', description: 'The words that it greets with, one per line', mimeType: 'text/plain' },
  ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: `${process.env['GREETING'] ?? 'Hello'}\n` }],
  }),
)

await server.connect(new StdioServerTransport())
