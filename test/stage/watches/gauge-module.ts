import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { registerTool, tool } from '../../../builtin/tool.ts'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'

/** A module whose tool `read` answers with a table that the test sets, and whose tool `turn` changes something. */
export function gaugeModule() {
  const gauge = {
    rows: [] as { pump: string; pressure: number | string | null; state: string }[],
    /** Instead of a table. */
    fails: null as string | null,
    calls: [] as unknown[],
  }
  const module: BuiltinModule = {
    manifest: {
      manifest_version: '0.3',
      name: 'gauge',
      display_name: 'Gauge',
      version: '1.0.0',
      description: 'Measures pumps',
      author: { name: 'Reeve' },
      server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
    } as BuiltinModule['manifest'],
    reach: 'own',
    createServer() {
      const server = new McpServer({ name: 'gauge', version: '1.0.0' }, { capabilities: {} })
      registerTool(
        server,
        tool({
          name: 'read',
          title: 'Read',
          description: 'Reads all pumps',
          effect: 'read',
          input: z.strictObject({
            hall: z.string().default('north').describe('Where they stand'),
            floor: z.int().min(0).max(9).optional(),
            sort: z.enum(['name', 'pressure']).optional(),
            closed: z.boolean().optional(),
            pumps: z.array(z.string()).optional().describe('Only these'),
            between: z.strictObject({ from: z.number(), to: z.number() }).optional(),
          }),
          run: (given) => {
            gauge.calls.push(given)
            if (gauge.fails !== null) return Promise.resolve({ text: gauge.fails, failed: true })
            const columns = [
              { key: 'pump', label: 'Pump', type: 'text' as const },
              { key: 'pressure', label: 'Pressure', type: 'number' as const },
              { key: 'state', label: 'State', type: 'text' as const },
            ]
            const rows = [...gauge.rows]
            return Promise.resolve({
              text: 'Read.',
              tables: [{ title: 'Pumps', columns, rows, total_rows: rows.length }],
            })
          },
        }),
      )
      registerTool(
        server,
        tool({
          name: 'turn',
          title: 'Turn',
          description: 'Turns a pump off',
          effect: 'write',
          input: z.strictObject({}),
          run: () => Promise.resolve({ text: 'Done.' }),
        }),
      )
      return Promise.resolve(server)
    },
  }
  return { module, gauge }
}
