// An MCP server over standard input and output in plain JavaScript, without dependencies: what a small bundle holds.
// The tool `hold` answers once there is a file `release` in its data folder. Its behaviour comes from the environment: SAY (said at the start), TOOLS (JSON), PREVIEW (the tool that the first one names), SUMMARY (its sentence about a call), LOGS (by the protocol), ICONS and TOOL_ICONS (of the server and of the first tool, JSON), CRASH.
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { SAY, SECRET = '', CRASH, PREVIEW, SUMMARY, LOGS, ICONS, TOOL_ICONS, TOOLS = '["echo"]' } = process.env
if (SAY !== undefined) process.stderr.write(`${SAY}\n`)
if (CRASH !== undefined) {
  process.stderr.write(`It cannot go on: ${CRASH} ${SECRET}\n`)
  process.exit(3)
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, ...(LOGS ? { logging: {} } : {}) },
    serverInfo: { name: 'plain', version: '1.0.0', ...(ICONS && { icons: JSON.parse(ICONS) }) },
  }),
  ping: () => ({}),
  ...(LOGS && {
    'logging/setLevel': ({ level }) => {
      const params = { level, logger: 'plain', data: `from ${level} on, without ${SECRET}` }
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })}\n`)
      return {}
    },
  }),
  'tools/list': () => ({
    tools: JSON.parse(TOOLS).map((name, at) => ({
      name,
      description: `${name} with ${SECRET}`,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      annotations: { readOnlyHint: true },
      ...(TOOL_ICONS && at === 0 ? { icons: JSON.parse(TOOL_ICONS) } : {}),
      ...((PREVIEW || SUMMARY) && at === 0 ? { _meta: { 'dev.reeve': { preview: PREVIEW, summary: SUMMARY } } } : {}),
    })),
  }),
  'tools/call': ({ name, arguments: given }) => ({
    ...(name === PREVIEW ? { structuredContent: { preview: { parts: [{ kind: 'plan', text: 'one\ntwo' }] } } } : {}),
    content: [
      { type: 'text', text: `${name}: ${given?.text ?? ''} ${Object.keys(process.env).sort().join(' ')} ${SECRET}` },
    ],
  }),
}

function whenReleased(work) {
  if (existsSync(`${process.env.HOME}/release`)) work()
  else setTimeout(() => whenReleased(work), 10)
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    const answer = answers[method]
    const reply = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: 'Method not found' } }
    const send = () => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`)
    if (method === 'tools/call' && params.name === 'hold') whenReleased(send)
    else send()
  })
  .on('close', () => process.exit(0))
