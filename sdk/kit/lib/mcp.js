'use strict'
/**
 * MCP over standard input and output, without dependencies: tools with progress, cancelling and questions, and prompts.
 * Copy this file beside your server.js; see ../types/mcp.d.ts for the types.
 */
const readline = require('node:readline')

/** An error whose message a person or the assistant can act on; everything else counts as a fault of the module. */
class ToolError extends Error {}

function serve({ name, version, tools = [], prompts = [], instructions }) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const promptByName = new Map(prompts.map((prompt) => [prompt.name, prompt]))
  const running = new Map()
  const asked = new Map()
  let nextId = 1
  let canAsk = false

  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  /** Asks the person for a few values; null when they decline. */
  async function ask(message, properties, required, signal) {
    if (!canAsk) return null
    const id = `ask-${nextId++}`
    const answer = await new Promise((resolve, reject) => {
      asked.set(id, { resolve, reject })
      signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
      const requestedSchema = { type: 'object', properties, required }
      send({ id, method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } })
    }).finally(() => asked.delete(id))
    return answer.action === 'accept' ? (answer.content ?? {}) : null
  }

  async function callTool(params, id) {
    const tool = byName.get(params.name)
    if (!tool) throw Object.assign(new Error(`There is no tool ${params.name}.`), { code: -32602 })
    const stop = new AbortController()
    running.set(id, stop)
    const token = params._meta?.progressToken
    let steps = 0
    const context = {
      signal: stop.signal,
      progress(message) {
        if (token === undefined || stop.signal.aborted) return
        send({ method: 'notifications/progress', params: { progressToken: token, progress: ++steps, message } })
      },
      ask: (message, properties, required = []) => ask(message, properties, required, stop.signal),
    }
    try {
      const result = await tool.run(params.arguments ?? {}, context)
      return typeof result === 'string' ? { content: [{ type: 'text', text: result }] } : { content: [], ...result }
    } catch (error) {
      if (!(error instanceof ToolError)) console.error(`The tool ${tool.name} broke: ${error.message}`)
      const text = error instanceof ToolError ? error.message : 'Something went wrong in the module. Its log says more.'
      return { content: [{ type: 'text', text }], isError: true }
    } finally {
      running.delete(id)
    }
  }

  const methods = {
    initialize(params) {
      canAsk = params.capabilities?.elicitation !== undefined
      return {
        protocolVersion: params.protocolVersion ?? '2025-11-25',
        capabilities: { tools: {}, ...(prompts.length > 0 ? { prompts: {} } : {}) },
        serverInfo: { name, version },
        ...(instructions ? { instructions } : {}),
      }
    },
    ping: () => ({}),
    'tools/list': () => ({ tools: tools.map(({ run: _run, ...definition }) => definition) }),
    'tools/call': callTool,
    'prompts/list': () => ({ prompts: prompts.map(({ text: _text, ...definition }) => definition) }),
    'prompts/get'(params) {
      const prompt = promptByName.get(params.name)
      if (!prompt) throw Object.assign(new Error(`There is no prompt ${params.name}.`), { code: -32602 })
      return { messages: [{ role: 'user', content: { type: 'text', text: prompt.text(params.arguments ?? {}) } }] }
    },
  }

  async function receive(line) {
    let message
    try {
      message = JSON.parse(line)
    } catch {
      return send({ id: null, error: { code: -32700, message: 'This is not JSON.' } })
    }
    if (message.method === 'notifications/cancelled') return running.get(message.params?.requestId)?.abort()
    if (message.method === undefined) {
      const waiting = asked.get(message.id)
      return message.error ? waiting?.reject(new Error(message.error.message)) : waiting?.resolve(message.result)
    }
    if (message.id === undefined) return
    const method = Object.hasOwn(methods, message.method) ? methods[message.method] : undefined
    const fail = (code, text) => send({ id: message.id, error: { code, message: text } })
    if (!method) return fail(-32601, `There is no method ${message.method}.`)
    try {
      const stop = () => running.get(message.id)?.signal.aborted
      const result = await method(message.params ?? {}, message.id)
      // The client expects no answer to a request that it cancelled.
      if (!stop()) send({ id: message.id, result })
    } catch (error) {
      fail(error.code ?? -32603, error.message)
    }
  }

  const input = readline.createInterface({ input: process.stdin })
  input.on('line', (line) => {
    if (line.trim() !== '') void receive(line)
  })
  // Standard input that ends is how the host says goodbye.
  input.on('close', () => {
    for (const stop of running.values()) stop.abort()
    setTimeout(() => process.exit(0), 500).unref()
  })
}

module.exports = { serve, ToolError }
