'use strict'
// A module without dependencies: an MCP server that speaks JSON-RPC, one message per line, over standard input and output.
// Standard output belongs to the protocol. Whatever you want to say to the administrator goes to standard error.
const readline = require('node:readline')
const { version } = require('./manifest.json')

const TOOLS = [
  {
    name: 'greet',
    title: 'Greet',
    description: 'Greets somebody by name. Use it when the person asks for a greeting.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1, maxLength: 100, description: 'Whom to greet' } },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
]

/** One function per tool: takes the arguments, returns the text, throws an Error whose message a person can act on. */
const RUN = {
  greet({ name }) {
    if (typeof name !== 'string' || name.trim() === '') throw new Error('"name" must be a text that is not empty.')
    return `${process.env.GREETING ?? 'Hello'}, ${name.trim()}.`
  },
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: '{{name}}', version },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: TOOLS }),
  async 'tools/call'({ name, arguments: input = {} }) {
    const run = Object.hasOwn(RUN, name) ? RUN[name] : undefined
    if (!run) throw Object.assign(new Error(`There is no tool ${name}.`), { code: -32602 })
    try {
      return { content: [{ type: 'text', text: await run(input) }] }
    } catch (error) {
      // A tool that fails is a result, so that the assistant can read why.
      return { content: [{ type: 'text', text: error.message }], isError: true }
    }
  },
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  let request
  try {
    request = JSON.parse(line)
  } catch {
    return send({ id: null, error: { code: -32700, message: 'This is not JSON.' } })
  }
  if (request.id === undefined) return // A notification: nothing here needs one.
  const method = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined
  if (!method)
    return send({ id: request.id, error: { code: -32601, message: `There is no method ${request.method}.` } })
  try {
    send({ id: request.id, result: await method(request.params ?? {}) })
  } catch (error) {
    send({ id: request.id, error: { code: error.code ?? -32603, message: error.message } })
  }
})
// Standard input that ends is how the host says goodbye: with nothing left to do, Node ends by itself.
