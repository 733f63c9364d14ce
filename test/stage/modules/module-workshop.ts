import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../server/modules/supervision/clock.ts'
import type { ModuleLink } from '../../../server/modules/spec/module-link.ts'
import type { ModuleSpec } from '../../../server/modules/spec/module-spec.ts'
import { openSandbox, type Sandbox } from '../../../server/modules/process/sandbox.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** What every script of a module begins with: MCP by hand, so that it can be as wrong as it likes. */
const PRELUDE = `
import { createInterface } from 'node:readline'
const handlers = new Map(), waiting = new Map()
let number = 1000
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const on = (method, handle) => handlers.set(method, handle)
const ask = (method, params) => new Promise((resolve) => { waiting.set(++number, resolve); send({ id: number, method, params }) })
const text = (said) => ({ content: [{ type: 'text', text: said }] })
const tool = (name, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more })
let tools = [tool('a')]
on('initialize', ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'script', version: '1' } }))
on('ping', () => ({}))
on('tools/list', () => ({ tools }))
on('tools/call', () => text('done'))
createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line)
  if (message.method === undefined) return waiting.get(message.id)?.(message.result ?? message)
  const handle = handlers.get(message.method)
  if (message.id === undefined) return handle?.(message.params)
  if (!handle) return send({ id: message.id, error: { code: -32601, message: 'Method not found' } })
  const result = await handle(message.params, message)
  if (result !== undefined) send({ id: message.id, result })
})
process.stdin.on('end', () => process.exit(0))
`

/** Modules that are real processes, in the sandbox, from scripts that a test writes. */
export async function openWorkshop() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-host-')))
  const sandbox: Sandbox = await openSandbox({
    log: { info: () => undefined, warn: () => undefined },
    node: process.execPath,
  })
  let scripts = 0

  function spec(name: string, args: string[], more: Partial<ModuleSpec> & { env?: Record<string, string> } = {}) {
    const dataFolder = join(folder, `${name}-${++scripts}`)
    mkdirSync(dataFolder, { mode: 0o700 })
    const { env = {}, ...rest } = more
    const links: ModuleLink[] = []
    const made: ModuleSpec & { links: ModuleLink[] } = {
      name,
      display_name: name,
      version: '1.0.0',
      kind: 'bundle',
      reach: 'machine',
      fingerprint: '1',
      pins: new Map(),
      secrets: [],
      probe: { kind: 'legacy' },
      onProbe: () => undefined,
      links,
      async open(signal) {
        const launch = { command: 'node', args, env, bundleFolder: ROOT, dataFolder }
        const grants = { network: 'none' as const, folders: [{ path: folder, write: false }], commands: [] }
        const link = await sandbox.start(launch, grants, { memory_bytes: 512 * 1024 * 1024 }, signal)
        links.push(link)
        return link
      },
      ...rest,
    }
    return made
  }

  return {
    folder,
    /** A module from JavaScript that follows the prelude. */
    script(source: string, more: Parameters<typeof spec>[2] = {}, name = 'hostile') {
      const path = join(folder, `script-${++scripts}.mjs`)
      writeFileSync(path, PRELUDE + source)
      return spec(name, [path], more)
    },
    /** A module from a file of the work tree. */
    file: (path: string, more: Parameters<typeof spec>[2] = {}, name = 'hostile') =>
      spec(name, [join(ROOT, path)], more),
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A clock that stands still until it is told to go on. */
export function stoppedClock() {
  let now = 1_700_000_000_000
  const alarms = new Set<{ at: number; run: () => void }>()
  const clock: Clock = {
    now: () => now,
    after(milliseconds, run) {
      const alarm = { at: now + milliseconds, run }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
  }
  return {
    clock,
    /** Milliseconds until each alarm. */
    pauses: () => [...alarms].map(({ at }) => at - now),
    advance(milliseconds: number) {
      now += milliseconds
      for (const alarm of [...alarms].filter(({ at }) => at <= now)) {
        alarms.delete(alarm)
        alarm.run()
      }
    },
  }
}
