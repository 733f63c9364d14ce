// An MCP server with data, in plain JavaScript without dependencies: a number in a file of its data folder. It also writes
// down, every 20 ms, that it is there, so that a test sees whether two of it ever wrote the same folder.
// Tools: count, read, hold (counts, then waits to be stopped or for a file `release`), ask (counts by the answer), stuck
// (never ends).
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { HOME, GREETING = '' } = process.env
const file = `${HOME}/number`
const me = `${process.pid}-${Date.now()}`
const read = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0)
const count = (by = 1) => {
  writeFileSync(file, String(read() + by))
  return read()
}
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (id, what) => send({ id, result: { content: [{ type: 'text', text: `${what}` }] } })
const tool = (name, readOnlyHint) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { by: { type: 'integer' } } },
  annotations: { readOnlyHint, destructiveHint: false },
})
const held = new Map()
const asked = new Map()
let number = 0

if (process.env.WITNESS !== undefined)
  setInterval(() => appendFileSync(`${HOME}/witness`, `${me} ${process.hrtime.bigint() / 1_000_000n}\n`), 20)

const tools = {
  count: (id, { by }) => text(id, `number ${count(by)}${GREETING}`),
  read: (id) => text(id, `number ${read()}${GREETING}`),
  stuck: () => count(),
  hold(id, _given, progressToken) {
    send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: `holding ${count()}` } })
    const timer = setInterval(() => {
      if (!existsSync(`${HOME}/release`)) return
      clearInterval(timer)
      text(id, 'released')
    }, 10)
    held.set(id, timer)
  },
  ask(id) {
    const question = `q${++number}`
    asked.set(question, ({ action, content }) => text(id, action === 'accept' ? `number ${count(content.by)}` : action))
    const requestedSchema = { type: 'object', properties: { by: { type: 'integer' } }, required: ['by'] }
    send({ id: question, method: 'elicitation/create', params: { message: 'By how much?', requestedSchema } })
  },
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params, result } = JSON.parse(line)
    if (method === 'initialize')
      send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'counter', version: '1.0.0' },
        },
      })
    else if (method === 'tools/list')
      send({
        id,
        result: { tools: [...['count', 'hold', 'ask', 'stuck'].map((name) => tool(name, false)), tool('read', true)] },
      })
    else if (method === 'tools/call') tools[params.name](id, params.arguments ?? {}, params._meta?.progressToken)
    else if (method === 'ping') send({ id, result: {} })
    else if (method === 'notifications/cancelled' && held.has(params.requestId)) {
      clearInterval(held.get(params.requestId))
      text(params.requestId, 'stopped')
    } else if (asked.has(id)) asked.get(id)(result)
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } })
  })
  .on('close', () => process.exit(0))
