import type { ConditionDraft } from './condition-draft.ts'
import type { ToolArgument } from './tool-arguments.ts'

/** The arguments that neither a condition speaks of nor may be anything. */
export function leftOut(
  known: readonly ToolArgument[],
  conditions: readonly ConditionDraft[],
  free: readonly string[] = [],
): readonly ToolArgument[] {
  const named = conditions.flatMap(({ kind, at, args }) => (kind === 'argv' ? [at, args, '/shell'] : [at]))
  return known.filter(({ at }) => ![...named, ...free].some((one) => at === one || at.startsWith(`${one}/`)))
}
