// A module on the official server: it speaks the protocol of 2025 and that of 2026-07-28.
import { fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const anything = fromJsonSchema({ type: 'object' })
const form = {
  message: 'Which one?',
  requestedSchema: { type: 'object', properties: { choice: { type: 'string' } }, required: ['choice'] },
}

serveStdio(
  () => {
    const server = new McpServer(
      { name: 'both', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} } },
    )
    const said = (text) => ({ content: [{ type: 'text', text }] })
    server.registerTool('hello', { description: 'Says hello', inputSchema: anything }, () => said('hello'))
    server.registerTool('choose', { inputSchema: anything }, (_input, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.choice
      if (answer === undefined) return inputRequired({ inputRequests: { choice: inputRequired.elicit(form) } })
      return said(answer.action === 'accept' ? `chosen: ${answer.content.choice}` : `not chosen: ${answer.action}`)
    })
    server.registerTool('grow', { inputSchema: anything }, () => {
      server.registerTool('grown', { inputSchema: anything }, () => said('grown'))
      return said('growing')
    })
    server.registerPrompt(
      'greet',
      {
        description: 'A greeting',
        argsSchema: fromJsonSchema({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }),
      },
      ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }] }),
    )
    return server
  },
  process.argv[2] === 'modern' ? { legacy: 'reject' } : {},
)
