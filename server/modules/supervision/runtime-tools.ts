import type { ModuleTool } from '../../../contract/modules.ts'
import type { Tool } from '../../chat/ports/tools.ts'
import type { PinnedTool } from '../mcp/pinned-tool.ts'

export type AgreedTool = PinnedTool & Tool
type Pins = ReadonlyMap<string, string> | null

/** The tools, each with whether it still is as agreed to. Without pins no agreement is needed. */
export function agreedTools(tools: ReadonlyMap<string, PinnedTool>, pins: Pins): ReadonlyMap<string, AgreedTool> {
  return new Map(
    [...tools].map(([name, tool]) => [
      name,
      { ...tool, agreed: pins === null || pins.get(name) === tool.definition_hash },
    ]),
  )
}

/** The tools as an administrator sees them, by name, including those that were agreed to but are gone. */
export function runtimeTools(tools: ReadonlyMap<string, PinnedTool>, pins: Pins): ModuleTool[] {
  const there = [...tools.values()].map(({ name, title, description, effect, definition_hash, input_schema }) => ({
    name,
    title,
    description,
    effect,
    definition_hash,
    pin: pinOf(pins, name, definition_hash),
    input_schema,
  }))
  const missing = [...(pins ?? [])]
    .filter(([name]) => !tools.has(name))
    .map(([name, definition_hash]) => ({
      name,
      title: name,
      description: '',
      effect: 'unknown' as const,
      definition_hash,
      pin: 'missing' as const,
      input_schema: {},
    }))
  return [...there, ...missing].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function pinOf(pins: Pins, name: string, hash: string): ModuleTool['pin'] {
  if (pins === null) return 'agreed'
  const pinned = pins.get(name)
  return pinned === undefined ? 'new' : pinned === hash ? 'agreed' : 'changed'
}
