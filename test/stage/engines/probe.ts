import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'
import { hostile, READ } from '../modules/hostile-module.ts'

const manifest = {
  manifest_version: '0.3',
  name: 'probe',
  display_name: 'Probe',
  version: '1.0.0',
  description: 'Looks at what it is given',
  author: { name: 'Reeve' },
  server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: [] } },
}

const module = hostile(
  [
    {
      name: 'look',
      description: 'Says what it was given.',
      annotations: READ,
      inputSchema: {
        type: 'object',
        properties: {
          place: { type: 'string' },
          limit: { type: 'integer' },
          ratio: { type: 'number' },
          deep: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          where: { type: 'object', properties: { host: { type: 'string' } } },
          either: { type: ['string', 'integer'] },
          kind: { enum: ['file', 'folder'] },
        },
        required: ['place'],
        additionalProperties: false,
      },
    },
    { name: 'ping', description: 'Takes nothing.', annotations: READ, inputSchema: { type: 'object', properties: {} } },
  ],
  (_name, args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
  'probe',
)

/** A module with an argument of every kind, whose tool says what it was given. */
export const probe: BuiltinModule = { ...module, manifest }
