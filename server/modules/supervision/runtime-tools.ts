import type { ModuleSpec } from '../spec/module-spec.ts'
import type { ModuleTool } from '../../../contract/modules.ts'
import { definitionTokens } from '../../kernel/text/token-estimate.ts'
import { addressesOf, type Tool } from '../../chat/ports/tools.ts'
import { pinnedTools } from '../mcp/instructions.ts'
import type { PinnedTool } from '../mcp/pinned-tool.ts'
import { HELPERS } from '../mcp/named-tools.ts'

export type AgreedTool = PinnedTool & Tool
type Pins = ReadonlyMap<string, string> | null

/**
 * The tools, each with whether it still is as agreed to. Without pins no agreement is needed. Which tools they name for
 * preview, verification and undo counts only with consent (`helpers`), and only while those too are as agreed to.
 */
export function agreedTools(
  tools: ReadonlyMap<string, PinnedTool>,
  pins: Pins,
  helpers: boolean,
): ReadonlyMap<string, AgreedTool> {
  const agreed = (name: string): boolean => pins === null || pins.get(name) === tools.get(name)?.definition_hash
  const used = new Set<string>()
  const all = [...tools].map(([name, { preview, verify, undo, ...tool }]): AgreedTool => {
    const named = { preview, verify, undo }
    const kept: Partial<Record<(typeof HELPERS)[number], string>> = {}
    for (const helper of helpers && agreed(name) ? HELPERS : []) {
      const other = named[helper]
      if (other === undefined || !agreed(other)) continue
      kept[helper] = other
      if (helper !== 'undo') used.add(other)
    }
    return { ...tool, ...kept, agreed: agreed(name) }
  })
  return new Map(all.map((tool) => [tool.name, used.has(tool.name) ? { ...tool, hidden: true } : tool]))
}

/** The tools as an administrator sees them, by name, including those that were agreed to but are gone. */
export function runtimeTools(tools: ReadonlyMap<string, PinnedTool>, pins: Pins): ModuleTool[] {
  const there = [...tools.values()].map(
    ({ name, title, description, icons, effect, definition_hash, input_schema }) => ({
      name,
      title,
      description,
      ...(icons !== undefined && { icon: addressesOf(icons) }),
      effect,
      definition_hash,
      pin: pinOf(pins, name, definition_hash),
      tokens: definitionTokens({ name, description, input_schema }),
      input_schema,
    }),
  )
  const missing = pinnedTools(pins ?? new Map())
    .filter(([name]) => !tools.has(name))
    .map(([name, definition_hash]) => ({
      name,
      title: name,
      description: '',
      effect: 'unknown' as const,
      definition_hash,
      pin: 'missing' as const,
      tokens: 0,
      input_schema: {},
    }))
  return [...there, ...missing].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function pinOf(pins: Pins, name: string, hash: string): ModuleTool['pin'] {
  if (pins === null) return 'agreed'
  const pinned = pins.get(name)
  return pinned === undefined ? 'new' : pinned === hash ? 'agreed' : 'changed'
}

/** Only built-ins need no agreement; for any other module no pins means that nothing has been agreed to. */
export function pinsOf({ pins, kind }: Pick<ModuleSpec, 'pins' | 'kind'>): ReadonlyMap<string, string> | null {
  return pins ?? (kind === 'builtin' ? null : new Map())
}
