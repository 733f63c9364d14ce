import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { registerTool, SETTLED_CAPABILITY, tool } from '../../../builtin/tool.ts'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const manifest = {
  manifest_version: '0.3',
  name: 'wide',
  display_name: 'Wide',
  version: '1.0.0',
  description: 'Has many tools',
  author: { name: 'Reeve' },
  server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
}

/** A module with as many tools as no model should read at once; one of them draws, the last one changes something. */
export function wideModule(count: number): BuiltinModule {
  return {
    manifest,
    reach: 'own',
    createServer: () => {
      const server = new McpServer(
        { name: 'wide', version: '1.0.0' },
        { capabilities: { experimental: SETTLED_CAPABILITY } },
      )
      for (let n = 1; n <= count; n++)
        registerTool(
          server,
          tool({
            name: `look_${n}`,
            title: `Look at ${n}`,
            description: n === 33 ? 'Says when the lighthouse of the harbour was lit.' : `Says what there is at ${n}.`,
            effect: 'read',
            summary: 'look',
            input: z.strictObject({ depth: z.int().default(0) }),
            run: ({ depth }) => Promise.resolve({ text: `At ${n}, ${depth} deep.` }),
          }),
        )
      registerTool(
        server,
        tool({
          name: 'set_lamp',
          title: 'Set the lamp',
          description: 'Sets the lamp.',
          effect: 'write',
          summary: 'set {to}',
          input: z.strictObject({ to: z.string() }),
          run: ({ to }) => Promise.resolve({ text: `The lamp is ${to}.` }),
        }),
      )
      server.registerTool('draw', { description: 'Draws a picture.', annotations: { readOnlyHint: true } }, () => ({
        content: [
          { type: 'text' as const, text: 'Drawn.' },
          { type: 'image' as const, data: PICTURE.toString('base64'), mimeType: 'image/png' },
          {
            type: 'resource' as const,
            resource: {
              uri: 'notes://one.txt',
              mimeType: 'text/plain',
              blob: Buffer.from('a note').toString('base64'),
            },
          },
        ],
      }))
      return Promise.resolve(server)
    },
  }
}
