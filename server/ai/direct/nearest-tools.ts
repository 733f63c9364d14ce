import type { PromptTool } from '../../chat/ports/model.ts'
import { fold } from '../../kernel/text/plain-text.ts'

/**
 * At most five tools with names close to what was typed, the closest first: matching parts of the name, or few typos.
 */
export function nearestTools(tools: readonly PromptTool[], typed: string): PromptTool[] {
  const wanted = fold(typed)
  return tools
    .map((tool) => ({ tool, distance: nameDistance(wanted, fold(tool.name)) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 5)
    .map(({ tool }) => tool)
}

/** Also compares with the part after the dot, in case the module was omitted. */
function nameDistance(typed: string, name: string): number {
  if (typed.length >= 3 && name.includes(typed)) return 0
  const short = name.slice(name.indexOf('.') + 1)
  return Math.min(editDistance(typed, name), editDistance(typed, short))
}

/** Levenshtein distance: insertions, deletions and replacements. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
