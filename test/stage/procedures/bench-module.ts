import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { registerTool, tool } from '../../../builtin/tool.ts'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'

/** A module whose tool `cut` takes an argument of every kind that a form knows. */
export const benchModule: BuiltinModule = {
  manifest: {
    manifest_version: '0.3',
    name: 'bench',
    display_name: 'Bench',
    version: '1.0.0',
    description: 'Cuts boards',
    author: { name: 'Reeve' },
    server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
  } as BuiltinModule['manifest'],
  reach: 'own',
  createServer() {
    const server = new McpServer({ name: 'bench', version: '1.0.0' }, { capabilities: {} })
    registerTool(
      server,
      tool({
        name: 'cut',
        title: 'Cut a board',
        description: 'Cuts a board',
        effect: 'write',
        input: z.strictObject({
          board: z.string().min(1).describe('Which one, by its label'),
          length: z.int().min(1).max(400).default(100).describe('Centimetres'),
          angle: z.number().optional().describe('Degrees'),
          sand: z.boolean().default(false),
          finish: z.enum(['none', 'oil', 'wax']).default('none'),
          marks: z.array(z.string()).optional().describe('What is written on it'),
          holes: z.array(z.int().min(1).max(90)).optional().describe('Where, in centimetres'),
          edges: z.strictObject({ top: z.string() }).optional().describe('How the edges are shaped'),
        }),
        run: (given) => Promise.resolve({ text: JSON.stringify(given) }),
      }),
    )
    return Promise.resolve(server)
  },
}
