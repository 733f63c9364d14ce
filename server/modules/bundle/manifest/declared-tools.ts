import { cut, visible } from '../../../kernel/text/plain-text.ts'
import { hashOf } from '../../../kernel/text/canonical.ts'
import type { Manifest } from './manifest.ts'

/** Tools as a bundle declares them before it runs, with names and descriptions safe to display. */
export interface DeclaredTool {
  readonly name: string
  readonly description: string
  /** Hash of the whole declaration, to detect what an upgrade changes. */
  readonly hash: string
}

const TOOLS_LIMIT = 500

/**
 * The tools of the manifest, else those in the answers that it carries for directories
 * (`_meta.*.static_responses["tools/list"]`).
 */
export function declaredTools(manifest: Manifest): DeclaredTool[] {
  const stated = staticTools(manifest)
  const listed: Record<string, unknown>[] = (manifest.tools ?? []).length > 0 ? (manifest.tools ?? []) : stated
  const found = new Map<string, DeclaredTool>()
  for (const tool of listed.slice(0, TOOLS_LIMIT)) {
    if (typeof tool['name'] !== 'string') continue
    const name = cut(visible(tool['name']), 128)
    const description = typeof tool['description'] === 'string' ? cut(visible(tool['description']), 2000) : ''
    const full = stated.find((each) => each['name'] === tool['name']) ?? tool
    found.set(name, { name, description, hash: hashOf(full) })
  }
  return [...found.values()]
}

export function toolChanges(
  before: readonly DeclaredTool[],
  now: readonly DeclaredTool[],
): { name: string; change: 'added' | 'removed' | 'changed' }[] {
  const old = new Map(before.map((tool) => [tool.name, tool.hash]))
  const added = now.filter(({ name }) => !old.has(name)).map(({ name }) => ({ name, change: 'added' as const }))
  const changed = now
    .filter(({ name, hash }) => old.has(name) && old.get(name) !== hash)
    .map(({ name }) => ({ name, change: 'changed' as const }))
  const names = new Set(now.map(({ name }) => name))
  const removed = before
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => ({ name, change: 'removed' as const }))
  return [...added, ...changed, ...removed]
}

function staticTools(manifest: Manifest): Record<string, unknown>[] {
  for (const part of Object.values(manifest._meta ?? {})) {
    const tools = member(member(member(part, 'static_responses'), 'tools/list'), 'tools')
    if (Array.isArray(tools))
      return tools.filter((tool): tool is Record<string, unknown> => typeof tool === 'object' && tool !== null)
  }
  return []
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
