import type { MadePackage } from './npm-registry.ts'

/** A server without dependencies: `hello` greets whom it is told to, and `bye` there is from version 1.1.0 on. */
const SERVER = `#!/usr/bin/env node
const { version } = require('./package.json')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const properties = { name: { type: 'string' } }
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const names = version === '1.0.0' ? ['hello'] : ['hello', 'bye']
  const tools = names.map((name) => ({ name, description: 'Says ' + name, inputSchema: { type: 'object', properties } }))
  const serverInfo = { name: 'greeter', version }
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } })
  else if (method === 'tools/list') send({ id, result: { tools } })
  else if (method === 'tools/call') {
    const text = [process.argv[2] ?? 'Hello', params.arguments?.name].join(', ') + ' from ' + version
    send({ id, result: { content: [{ type: 'text', text }] } })
  }
  else if (id !== undefined) send({ id, result: {} })
})
`

export function greeter(version: string, about: Record<string, unknown> = {}): MadePackage {
  return {
    name: '@test/greeter',
    version,
    about: { description: 'Says hello', bin: './main.js', ...about },
    entries: [{ name: 'main.js', content: SERVER }],
  }
}
