import { pinnedTools } from '../../mcp/instructions.ts'
import type { CatalogueContext } from '../catalogue-context.ts'

/**
 * The names of a module's tools: those it offers, those agreed to, and those it declares. Null when there is no such
 * module.
 */
export function toolNames(context: CatalogueContext, module: string): readonly string[] | null {
  const record = context.records().get(module)
  if (record === undefined || record.removed) return null
  const known = [...(context.host.runtime(module)?.tools ?? []), ...(record.manifest?.tools ?? [])]
  return [...new Set([...known.map(({ name }) => name), ...pinnedTools(record.pins).map(([name]) => name)])]
}
