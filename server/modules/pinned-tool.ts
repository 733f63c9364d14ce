import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'
import type { Tool } from '../chat/tools.ts'
import { hashOf } from '../kernel/canonical.ts'
import { cut, visible } from '../kernel/text.ts'
import { boundedCheck } from './bounded-check.ts'
import { summarizeCall } from './call-summary.ts'
import { readableText } from './readable-text.ts'
import { toolEffect } from './tool-effect.ts'

export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
const DEADLINE_MAX_MS = 60 * 60_000
/** Enough for any honest schema on a busy machine. Schemas of built-ins are our own. */
export const CHECK_MS = 300
const BUILTIN_CHECK_MS = 10_000

/** A tool as its module listed it last, before anybody asks whether it was agreed to. */
export interface PinnedTool extends Omit<Tool, 'agreed'> {
  /** How long one call may take in milliseconds, when the tool says so itself. */
  readonly deadline_ms: number | null
  /** As the module gave it: what its call is made with. */
  readonly definition: ToolDefinition
}

export function pinTool(
  definition: ToolDefinition,
  owner: { module: string; version: string; builtin: boolean },
): PinnedTool {
  const { name, description, inputSchema, outputSchema, annotations } = definition
  const ours = ownMeta(definition)
  const title = cut(visible(definition.title ?? annotations?.title ?? name), 120)
  // What stands on an approval card is not left to whom the card is about.
  const template = owner.builtin && typeof ours['summary'] === 'string' ? ours['summary'] : null
  return {
    module: owner.module,
    name,
    title,
    description: cut(readableText(description ?? ''), 4000),
    input_schema: owner.builtin ? inputSchema : readableSchema(inputSchema),
    effect: toolEffect(annotations),
    builtin: owner.builtin,
    module_version: owner.version,
    definition_hash: hashOf({ name, title: definition.title, description, inputSchema, outputSchema, annotations }),
    deadline_ms:
      typeof ours['deadline_ms'] === 'number' ? Math.min(Math.max(ours['deadline_ms'], 1000), DEADLINE_MAX_MS) : null,
    definition,
    summarize: (input) => summarizeCall({ template, title, schema: inputSchema }, input),
    check: boundedCheck(inputSchema, 'input schema', owner.builtin ? BUILTIN_CHECK_MS : CHECK_MS),
  }
}

/** The schema as a model and a person see it: nothing hides in what describes the arguments. */
function readableSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    typeof value === 'string' && (key === 'description' || key === 'title' || key === '$comment')
      ? readableText(value)
      : value,
  )
  return JSON.parse(text) as Record<string, unknown>
}

/** What MCP has no place for lives under `_meta["dev.reeve"]`. */
function ownMeta(definition: ToolDefinition): Record<string, unknown> {
  const ours = definition._meta?.['dev.reeve']
  return ours !== null && typeof ours === 'object' ? (ours as Record<string, unknown>) : {}
}
