import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'
import type { Reach } from '../../../contract/modules.ts'
import type { Icons, Tool, ToolEffect } from '../../chat/ports/tools.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import { fillDefaults } from './fill-defaults.ts'
import { boundedCheck } from './bounded-check.ts'
import { summarizeCall } from './call-summary.ts'
import { namedHelpers } from './named-tools.ts'
import { readableText } from '../result/readable-text.ts'

export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
const DEADLINE_MAX_MS = 60 * 60_000
/** Enough for any honest schema on a busy machine; the schemas of built-ins are our own. */
export const CHECK_MS = 300
const BUILTIN_CHECK_MS = 10_000

/** A tool as its module last listed it, regardless of whether it was agreed to. */
export interface PinnedTool extends Omit<Tool, 'agreed'> {
  /** How long one call may take in milliseconds, if the tool says so itself. */
  readonly deadline_ms: number | null
  /** As the module gave it; used for the call. */
  readonly definition: ToolDefinition
}

export function pinTool(
  definition: ToolDefinition,
  owner: { module: string; version: string; builtin: boolean; reach: Reach },
  icons: Icons | null = null,
): PinnedTool {
  const { name, description, inputSchema, outputSchema, annotations } = definition
  const ours = ownMeta(definition)
  const helpers = namedHelpers(ours)
  const title = cut(visible(definition.title ?? annotations?.title ?? name), 120)
  const main_argument = namedArgument(ours, inputSchema)
  const sentence = typeof ours['summary'] === 'string' ? ours['summary'] : null
  // What a card says of itself is not left to the module that the card is about: its sentence is shown beside it, as its own.
  const template = owner.builtin ? sentence : null
  const claim = owner.builtin ? null : sentence
  const preview_required = owner.builtin && ours['preview_required'] === true
  const limit = owner.builtin ? BUILTIN_CHECK_MS : CHECK_MS
  return {
    module: owner.module,
    name,
    title,
    description: cut(readableText(description ?? ''), 4000),
    main_argument,
    ...(icons !== null && { icons }),
    input_schema: owner.builtin ? inputSchema : readableSchema(inputSchema),
    effect: toolEffect(annotations),
    builtin: owner.builtin,
    reach: owner.reach,
    module_version: owner.version,
    definition_hash: hashOf({
      name,
      title: definition.title,
      description,
      inputSchema,
      outputSchema,
      annotations,
      ...(main_argument !== null && { main_argument }),
      ...(claim !== null && { summary: claim }),
      ...(Object.keys(helpers).length > 0 && { helpers }),
      ...(preview_required && { preview_required }),
    }),
    ...helpers,
    ...(preview_required && { preview_required }),
    deadline_ms:
      typeof ours['deadline_ms'] === 'number' ? Math.min(Math.max(ours['deadline_ms'], 1000), DEADLINE_MAX_MS) : null,
    definition,
    real_paths: owner.builtin && ours['real_paths'] === true,
    ...(owner.builtin && ours['operation'] === true && { operation: true as const }),
    fill: fillDefaults(inputSchema, limit),
    summarize: (input, wording) => summarizeCall({ template, title, schema: inputSchema }, input, wording),
    ...(claim !== null && {
      claim: (input, wording) => summarizeCall({ template: claim, title, schema: inputSchema }, input, wording),
    }),
    check: boundedCheck(inputSchema, 'input schema', limit),
  }
}

/** The schema as a model and a person see it, without hidden characters in the descriptions of arguments. */
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

/** The argument that says what a call is about, if it is one of the schema's; any other name is as good as none. */
function namedArgument(ours: Record<string, unknown>, { properties }: ToolDefinition['inputSchema']): string | null {
  const name = ours['main_argument']
  return typeof name === 'string' && Object.hasOwn(properties ?? {}, name) ? name : null
}

/** The annotations of an MCP tool that say what it does to the world. */
interface EffectAnnotations {
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
}

/**
 * What a tool claims about its own effect. MCP's default for a tool that isn't read-only is "destructive", so only an
 * explicit `false` makes it a plain write. Whether to believe the claim is up to the policy.
 */
function toolEffect(annotations: EffectAnnotations | undefined): ToolEffect {
  if (annotations === undefined) return 'unknown'
  if (annotations.readOnlyHint === true) return 'read'
  if (annotations.readOnlyHint === undefined && annotations.destructiveHint === undefined) return 'unknown'
  return annotations.destructiveHint === false ? 'write' : 'destructive'
}
