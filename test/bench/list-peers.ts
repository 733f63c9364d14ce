import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBeside } from '../stage/measure.ts'
import { installPeer } from './peer.ts'

/** Others that give a page of 50 out of a list in memory, without users, rights or a database. */
export const LIST_PEERS: Record<string, { name: string; path: string; program: (count: number) => string }> = {
  'json-server': {
    name: 'json-server@0.17.4',
    path: '/conversations?_page=1&_limit=50',
    program: (count) => `
      ${items(count)}
      const peer = require
      const server = peer('json-server')
      const app = server.create().use(server.router({ conversations: items }))
      ${listen('app')}`,
  },
  'Node-RED': {
    name: 'node-red@4.1.0',
    path: '/conversations',
    program: (count) => `
      ${items(count)}
      const { writeFileSync } = require('node:fs')
      const peer = require
      const RED = peer('node-red')
      const app = peer('express')()
      const flows = [
        { id: 'tab', type: 'tab', label: 'list' },
        { id: 'in', z: 'tab', type: 'http in', url: '/conversations', method: 'get', wires: [['page']] },
        { id: 'page', z: 'tab', type: 'function', outputs: 1, wires: [['out']],
          func: "msg.payload = { items: global.get('items').slice(0, 50) }; return msg" },
        { id: 'out', z: 'tab', type: 'http response', statusCode: '200', wires: [] },
      ]
      writeFileSync('flows.json', JSON.stringify(flows))
      const server = require('node:http').createServer(app)
      const logging = { console: { level: 'off' } }
      RED.init(server, { httpAdminRoot: false, httpNodeRoot: '/', userDir: process.cwd(), flowFile: 'flows.json',
        functionGlobalContext: { items }, logging, telemetry: { enabled: false } })
      app.use('/', RED.httpNode)
      RED.events.once('flows:started', () => { ${listen('server')} })
      RED.start()`,
  },
}

function items(count: number): string {
  return `const items = Array.from({ length: ${count} }, (_, i) => ({ id: i, conversation_id: 'cnv_' + String(i).padStart(26, '0'),
    title: 'Conversation ' + i, folder_id: null, pinned: false, created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z', status: 'idle', snippet: null }))`
}

function listen(server: string): string {
  return `const listening = ${server}.listen(0, '127.0.0.1', () =>
    console.log(JSON.stringify({ url: 'http://127.0.0.1:' + listening.address().port })))`
}

/** Calls `measure` with the peer's address while it runs; gives the reason when it cannot be installed. */
export async function withPeer<T>(
  peer: keyof typeof LIST_PEERS,
  count: number,
  measure: (url: string) => Promise<T>,
): Promise<T | string> {
  const { name, path, program } = LIST_PEERS[peer]!
  const installed = installPeer(name)
  if (typeof installed === 'string') return installed
  using _ = installed
  const cwd = mkdtempSync(join(tmpdir(), 'reeve-peer-data-'))
  try {
    using running = await startBeside(program(count), [], { cwd, NODE_PATH: join(installed.folder, 'node_modules') })
    return await measure(running.url + path)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
