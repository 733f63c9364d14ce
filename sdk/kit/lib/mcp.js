'use strict'
/**
 * MCP over standard input and output, without dependencies: tools with progress, cancelling and questions, prompts,
 * and resources.
 * Copy this file beside your server.js; see ../types/mcp.d.ts for the types.
 */
const readline = require('node:readline')

/** An error whose message a person or the assistant can act on; everything else counts as a fault of the module. */
class ToolError extends Error {}

/** What a tool returned as a result. Names what is wrong with anything else, which the client would only refuse. */
function toResult(tool, returned) {
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] }
  const kind = returned === null ? 'null' : Array.isArray(returned) ? 'a list' : typeof returned
  if (kind !== 'object')
    throw new Error(`run() of ${tool} must return a text or { content, structuredContent }, not ${kind}.`)
  const { content = [] } = returned
  if (!Array.isArray(content)) throw new Error(`"content" that ${tool} returns must be a list, not ${typeof content}.`)
  return { ...returned, content }
}

/** The values of `{name}` in an address, when it is one of this template. */
function matchTemplate(template, uri) {
  const names = []
  const pattern = template.replace(/\{(\w+)\}|[.*+?^${}()|[\]\\]/g, (found, name) => {
    if (name === undefined) return `\\${found}`
    names.push(name)
    return '([^/]+)'
  })
  const found = new RegExp(`^${pattern}$`).exec(uri)
  return found && Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at + 1])]))
}

function serve({ name, version, tools = [], prompts = [], resources = [], instructions, icons }) {
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
      return toResult(tool.name, await tool.run(params.arguments ?? {}, context))
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
        capabilities: {
          tools: {},
          ...(prompts.length > 0 ? { prompts: {} } : {}),
          ...(resources.length > 0 ? { resources: {} } : {}),
          ...(prompts.some((prompt) => prompt.arguments?.some(({ complete }) => complete)) ? { completions: {} } : {}),
        },
        serverInfo: { name, version, ...(icons ? { icons } : {}) },
        ...(instructions ? { instructions } : {}),
      }
    },
    ping: () => ({}),
    'tools/list': () => ({ tools: tools.map(({ run: _run, ...definition }) => definition) }),
    'tools/call': callTool,
    'prompts/list': () => ({
      prompts: prompts.map(({ text: _text, arguments: all = [], ...definition }) => ({
        ...definition,
        arguments: all.map(({ complete: _complete, ...argument }) => argument),
      })),
    }),
    'prompts/get'(params) {
      const prompt = promptByName.get(params.name)
      if (!prompt) throw Object.assign(new Error(`There is no prompt ${params.name}.`), { code: -32602 })
      return { messages: [{ role: 'user', content: { type: 'text', text: prompt.text(params.arguments ?? {}) } }] }
    },
    'resources/list': () => ({ resources: listed('uri') }),
    'resources/templates/list': () => ({ resourceTemplates: listed('uriTemplate') }),
    async 'resources/read'({ uri }) {
      for (const resource of resources) {
        const values = resource.uri === uri ? {} : resource.uriTemplate && matchTemplate(resource.uriTemplate, uri)
        if (!values) continue
        const read = await resource.read(values)
        const { mimeType = 'text/plain' } = resource
        const body = typeof read === 'string' ? { text: read } : { blob: Buffer.from(read).toString('base64') }
        return { contents: [{ uri, mimeType, ...body }] }
      }
      throw Object.assign(new Error(`There is no resource ${uri}.`), { code: -32002 })
    },
    async 'completion/complete'({ ref, argument, context }) {
      const known = promptByName.get(ref.name)?.arguments?.find((each) => each.name === argument.name)
      const values = (await known?.complete?.(argument.value, context?.arguments ?? {})) ?? []
      return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } }
    },
  }

  const listed = (kind) => resources.filter((each) => each[kind]).map(({ read: _read, ...definition }) => definition)

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
