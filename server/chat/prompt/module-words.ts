import { textTokens } from '../../kernel/text/token-estimate.ts'
import type { PromptTool } from '../ports/model.ts'
import { wordTokens } from '../ports/tool-budget.ts'
import type { Step } from '../run/step.ts'
import { fenced } from './fenced.ts'
import { ABOUT_MODULES } from './system-prompt.ts'

/** Of all modules together. */
const BYTES = 8 * 1024

/**
 * What the modules of these tools say about them, for the end of the system prompt: each marked as its own words, and whole
 * or not at all. Empty when none says anything, or there is no room.
 */
export function moduleWords(
  { ports: { tools, secrets } }: Pick<Step, 'ports'>,
  offered: readonly PromptTool[],
  context_tokens: number | null,
  scale: number,
): string {
  if (context_tokens === null) return ''
  let bytes = BYTES
  let tokens = wordTokens(context_tokens, scale) - textTokens(ABOUT_MODULES)
  const parts: string[] = []
  for (const module of new Set(offered.flatMap(({ name }) => (name.includes('.') ? name.split('.', 1) : [])))) {
    const said = tools.instructions(module)
    if (said === null) continue
    const part = fenced('data', { from: `module ${module}` }, secrets.mask(module, said))
    const [size, cost] = [Buffer.byteLength(part), textTokens(part)]
    // What is too long for the room that is left takes none from the modules after it.
    if (size > bytes || cost > tokens) continue
    bytes -= size
    tokens -= cost
    parts.push(part)
  }
  return parts.length === 0 ? '' : [ABOUT_MODULES, ...parts].join('\n')
}
