import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeBundle } from '../stage/modules/module-bundles.ts'

/** What a call did, as it stands outside of the service. */
export interface Effect {
  readonly mark: string
  /** Epoch milliseconds, by the clock of this machine. */
  readonly at: number
}

/** A server whose tools each write the text that they are given, and the time, into a file. */
const SERVER = `
  import { appendFileSync } from 'node:fs'
  import { createInterface } from 'node:readline'
  const tool = (name) => ({ name, description: 'Writes a line into the ledger.', annotations: { readOnlyHint: false },
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } })
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'ledger', version: '1' } }),
    ping: () => ({}),
    'tools/list': () => ({ tools: ['plain', 'switched', 'ruled', 'probed'].map(tool) }),
    'tools/call': ({ arguments: { text } }) => {
      appendFileSync(process.env.LEDGER, text + ' ' + Date.now() + '\\n')
      return { content: [{ type: 'text', text: 'Written: ' + text }] }
    },
  }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    const answer = answers[method]
    const reply = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: 'Method not found' } }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\\n')
  }).on('close', () => process.exit(0))`

/** A file outside of the service into which calls write, so that what ran is known whatever the service says. */
export class Ledger {
  readonly file: string
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = join(folder, 'ledger')
    mkdirSync(this.#folder)
    this.file = join(this.#folder, 'effects')
  }

  /** A bundle whose tools `plain`, `switched`, `ruled` and `probed` write here. */
  bundle(name: string): Promise<Buffer> {
    return makeBundle({
      name,
      env: { LEDGER: this.file },
      meta: { capabilities: { network: 'none', folders: [{ path: this.#folder, write: true }] } },
      files: { 'server.mjs': SERVER },
    })
  }

  /** A command for the shell that writes here. */
  command(mark: string): string {
    return `echo ${mark} $(date +%s%3N) >> ${this.file}`
  }

  read(): Effect[] {
    if (!existsSync(this.file)) return []
    const lines = readFileSync(this.file, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => {
      const [mark = '', at] = line.split(' ')
      return { mark, at: Number(at) }
    })
  }
}
