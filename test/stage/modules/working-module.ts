import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { registerTool, SETTLED_CAPABILITY, tool, type ReportTable, type ToolContext } from '../../../builtin/tool.ts'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'
import type { Gate } from '../servers/scripted-model.ts'

/** When a call ends, and what it tells until then. */
const course = {
  progress: z.string().optional(),
  until: z.string().optional(),
}
const manifest = {
  manifest_version: '0.3',
  name: 'works',
  display_name: 'Works',
  version: '1.0.0',
  description: 'Reads, changes and fails as it is told',
  author: { name: 'Reeve' },
  server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
}

/**
 * A module whose calls do what their arguments say: tables of any size, files, changes, failures. A call with `until`
 * ends when the test opens the gate of that name.
 */
export function workingModule(gates: Readonly<Record<string, Gate>> = {}): BuiltinModule {
  const pass = async ({ progress, until }: { progress?: string; until?: string }, context: ToolContext) => {
    if (progress !== undefined) context.progress(progress)
    const gate = until === undefined ? undefined : gates[until]
    gate?.arrive()
    await gate?.opened
  }
  return {
    manifest,
    reach: 'own',
    createServer: async () => {
      const server = new McpServer(
        { name: 'works', version: '1.0.0' },
        { capabilities: { experimental: SETTLED_CAPABILITY } },
      )
      registerTool(
        server,
        tool({
          name: 'list',
          title: 'List things',
          description: 'A table, and files.',
          effect: 'read',
          input: z.object({
            ...course,
            of: z.string(),
            rows: z.int().default(3),
            columns: z.int().default(3),
            files: z.array(z.string()).default([]),
          }),
          async run(input, context) {
            await pass(input, context)
            const files = input.files.map((name) => ({ name, media_type: 'text/plain', data: Buffer.from(name) }))
            return { text: `${input.rows} of ${input.of}.`, tables: input.rows > 0 ? [tableOf(input)] : [], files }
          },
        }),
      )
      for (const [name, title, effect] of [
        ['note', 'Write a note', 'write'],
        ['erase', 'Erase things', 'destructive'],
      ] as const) {
        registerTool(
          server,
          tool({
            name,
            title,
            description: 'Changes nothing, but says so.',
            effect,
            summary: `${title}: {path}`,
            input: z.object({
              ...course,
              path: z.string(),
              text: z.string().optional(),
              force: z.boolean().optional(),
            }),
            async run(input, context) {
              await pass(input, context)
              return { text: `Done with ${input.path}.` }
            },
          }),
        )
      }
      registerTool(
        server,
        tool({
          name: 'fail',
          title: 'Look in vain',
          description: 'Fails.',
          effect: 'read',
          input: z.object({ ...course, why: z.string() }),
          async run(input, context) {
            await pass(input, context)
            throw new Error(input.why)
          },
        }),
      )
      return server
    },
  }
}

function tableOf({ of, rows, columns }: { of: string; rows: number; columns: number }): ReportTable {
  const keys = Array.from({ length: columns }, (_, index) => `${of}_${index + 1}`)
  return {
    title: of,
    columns: keys.map((key, index) => ({ key, label: `${of} ${index + 1}`, type: index === 0 ? 'text' : 'integer' })),
    rows: Array.from({ length: rows }, (_, row) =>
      Object.fromEntries(keys.map((key, index) => [key, index === 0 ? `${of} number ${row + 1}` : (row + 1) * index])),
    ),
  }
}
