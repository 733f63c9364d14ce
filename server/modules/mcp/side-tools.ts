import { say, type Sentence } from '../../kernel/sentence.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import { type Helper, HELPERS } from './named-tools.ts'
import type { PinnedTool } from './pinned-tool.ts'

/** What a tool that takes a change back is called with. */
const UNDO_ARGUMENTS = { change: 'chg_00000000000000000000000000' }

/** The tools with those helpers that fit, and a sentence for each that does not. */
export function fittingHelpers(tools: ReadonlyMap<string, PinnedTool>): {
  readonly tools: Map<string, PinnedTool>
  readonly problems: Sentence[]
} {
  const problems: Sentence[] = []
  const fitted = new Map<string, PinnedTool>()
  for (const [name, tool] of tools) {
    const kept: { [K in Helper]?: string } = {}
    for (const helper of HELPERS) {
      const named = tool[helper]
      if (named === undefined) continue
      const fault = faultOf(tool, helper, tools.get(named))
      if (fault === null) kept[helper] = named
      else
        problems.push(
          say`The tool “${name}” names “${cut(visible(named), 140)}” under “${helper}”, which is ignored: ${fault}.`,
        )
    }
    const { preview: _preview, verify: _verify, undo: _undo, ...rest } = tool
    fitted.set(name, { ...rest, ...kept })
  }
  return { tools: fitted, problems }
}

function faultOf(tool: PinnedTool, helper: Helper, named: PinnedTool | undefined): Sentence | null {
  if (named === undefined) return say`there is no such tool`
  if (named.name === tool.name) return say`a tool cannot name itself`
  if (helper === 'undo') return named.check(UNDO_ARGUMENTS) === null ? null : say`it does not take a change`
  if (named.effect !== 'read') return say`it does not only read`
  return takesTheSame(tool.input_schema, named.input_schema) ? null : say`it does not take the same arguments`
}

/** Whether whatever fits the one also fits the other, as far as names of arguments say. */
function takesTheSame(from: Readonly<Record<string, unknown>>, to: Readonly<Record<string, unknown>>): boolean {
  const names = (schema: Readonly<Record<string, unknown>>) => Object.keys(schema['properties'] ?? {})
  const required = (schema: Readonly<Record<string, unknown>>) =>
    Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
  const known = new Set(names(to))
  return (
    required(to).every((name) => required(from).includes(name)) &&
    (to['additionalProperties'] !== false || names(from).every((name) => known.has(name)))
  )
}
