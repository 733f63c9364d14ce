import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { registerTool, tool } from '../../../builtin/tool.ts'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'

export const GRIND = 'tool:mill.grind'
export const OPEN = 'tool:mill.open'

/** `open` promises to refuse links. What they were called with is kept. */
export function millModule() {
  const got: unknown[] = []
  const input = z.strictObject({
    corn: z.string(),
    path: z.string().optional(),
    fine: z.boolean().default(false),
    sacks: z.number().default(1),
    how: z.strictObject({ slow: z.boolean().default(true) }).optional(),
  })
  const module: BuiltinModule = {
    manifest: {
      manifest_version: '0.3',
      name: 'mill',
      display_name: 'Mill',
      version: '1.0.0',
      description: 'Grinds',
      author: { name: 'Reeve' },
      server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
    } as BuiltinModule['manifest'],
    reach: 'own',
    createServer() {
      const server = new McpServer({ name: 'mill', version: '1.0.0' }, { capabilities: {} })
      for (const name of ['grind', 'open'])
        registerTool(
          server,
          tool({
            name,
            title: name,
            description: name,
            effect: 'write',
            real_paths: name === 'open',
            input,
            run: (given) => {
              got.push(given)
              return Promise.resolve({ text: 'Done.' })
            },
          }),
        )
      return Promise.resolve(server)
    },
  }
  return { module, got }
}

/** A rule under which wheat is ground unasked. */
export const WHEAT = {
  subject: GRIND,
  effect: 'allow' as const,
  when: [{ at: '/corn', is: 'wheat' }],
  free: ['/sacks'],
  examples: { match: [{ corn: 'wheat' }], no_match: [{ corn: 'rye' }, { corn: 'wheat', fine: true }] },
}
