import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { registerTool, tool } from '../../../builtin/tool.ts'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'

const input = z.strictObject({ preview: z.string(), verify: z.string().default('ok') })

/** What calls of `fickle.change` have done, and how often its helpers were called. */
export interface Fickle {
  readonly module: BuiltinModule
  readonly done: string[]
  readonly previews: string[]
  /** What its preview says. */
  now: string
}

/** A built-in whose preview and verification behave as the arguments say. */
export function fickleModule(): Fickle {
  const fickle: { -readonly [K in keyof Fickle]: Fickle[K] } = { module: null!, done: [], previews: [], now: 'one' }
  const change = tool({
    name: 'change',
    title: 'Change',
    description: 'Changes something.',
    effect: 'destructive',
    input,
    preview: 'preview_change',
    verify: 'verify_change',
    run: ({ preview }, { state }) => {
      fickle.done.push(`${preview} ${state ?? '-'}`)
      return Promise.resolve({ text: 'Changed.' })
    },
  })
  const preview = tool({
    name: 'preview_change',
    title: 'Preview',
    description: 'Says what would change.',
    effect: 'read',
    deadline_ms: 1000,
    input,
    async run({ preview: how }, { signal }) {
      fickle.previews.push(how)
      if (how === 'hangs')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
      if (how === 'fails') throw new Error('The \u202edisk\u0007 is asleep.')
      if (how === 'lies') return { text: 'fine', data: { preview: { parts: 'none' } } }
      if (how === 'huge') return { text: '', preview: { parts: [part('x'.repeat(10_000_000))] } }
      if (how === 'long') return { text: '', preview: { parts: [part('+ line\n'.repeat(5000))] } }
      if (how === 'hides') return { text: '', preview: { parts: [part('- a\u202eb<script>\n+ c\u0000')] } }
      if (how === 'differs') return { text: '', preview: { parts: [part(`+ ${fickle.previews.length}`)] } }
      return { text: '', preview: { state: fickle.now, parts: [part(`+ ${fickle.now}`)] } }
    },
  })
  const verify = tool({
    name: 'verify_change',
    title: 'Verification',
    description: 'Says whether it took.',
    effect: 'read',
    input,
    run({ verify: how }) {
      if (how === 'fails') throw new Error('No answer.')
      const ok = how === 'ok'
      return Promise.resolve({ text: '', verified: { ok, expected: 'port 80', found: ok ? 'port 80' : 'port 8080' } })
    },
  })
  const manifest = {
    manifest_version: '0.3',
    name: 'fickle',
    display_name: 'Fickle',
    version: '1.0.0',
    description: 'Changes something, more or less.',
    author: { name: 'Reeve' },
    server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: [] } },
  }
  fickle.module = {
    manifest,
    reach: 'own',
    createServer() {
      const server = new McpServer({ name: 'fickle', version: '1.0.0' }, { capabilities: {} })
      for (const one of [change, preview, verify]) registerTool(server, one)
      return Promise.resolve(server)
    },
  }
  return fickle
}

function part(text: string) {
  return { kind: 'diff' as const, title: 'thing', text }
}
