import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'
import type { Tool } from '../chat/tools.ts'
import { hashOf } from '../kernel/canonical.ts'
import { cut, visible } from '../kernel/text.ts'
import { summarizeCall } from './call-summary.ts'
import { compileSchema } from './json-schema.ts'
import { toolEffect } from './tool-effect.ts'

export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
const DEADLINE_MAX_MS = 60 * 60_000

/** A tool as it was when its module came up: whatever the module says later does not change it. */
export interface PinnedTool extends Tool {
  /** How long one call may take in milliseconds, when the tool says so itself. */
  readonly deadline_ms: number | null
}

export function pinTool(
  definition: ToolDefinition,
  owner: { module: string; version: string; builtin: boolean },
): PinnedTool {
  const { name, description, inputSchema, outputSchema, annotations } = definition
  const ours = ownMeta(definition)
  const title = cut(visible(definition.title ?? annotations?.title ?? name), 120)
  const template = typeof ours['summary'] === 'string' ? ours['summary'].slice(0, 1000) : null
  let check: ((value: unknown) => string | null) | undefined
  return {
    module: owner.module,
    name,
    title,
    description: cut(description ?? '', 4000),
    input_schema: inputSchema,
    effect: toolEffect(annotations),
    builtin: owner.builtin,
    module_version: owner.version,
    definition_hash: hashOf({ name, description, inputSchema, outputSchema, annotations }),
    deadline_ms:
      typeof ours['deadline_ms'] === 'number' ? Math.min(Math.max(ours['deadline_ms'], 1000), DEADLINE_MAX_MS) : null,
    summarize: (input) => summarizeCall({ template, title, schema: inputSchema }, input),
    check(input) {
      try {
        // Compiled at the first call: most tools of a long list are never called.
        check ??= compileSchema(inputSchema)
        return check(input)
      } catch (error) {
        return `The tool's input schema cannot be used: ${cut(error instanceof Error ? error.message : String(error), 200)}.`
      }
    },
  }
}

/** What MCP has no place for lives under `_meta["dev.reeve"]`. */
function ownMeta(definition: ToolDefinition): Record<string, unknown> {
  const ours = definition._meta?.['dev.reeve']
  return ours !== null && typeof ours === 'object' ? (ours as Record<string, unknown>) : {}
}
