import { textTokens } from '../../kernel/text/token-estimate.ts'
import type { PromptTool } from '../ports/model.ts'
import { wordTokens } from '../ports/tool-budget.ts'
import type { Step } from '../run/step.ts'
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
    // Nobody's words end their own mark.
    const part = `<data from="module ${module}">\n${secrets.mask(module, said).replaceAll('<', '&lt;')}\n</data>`
    bytes -= Buffer.byteLength(part)
    tokens -= textTokens(part)
    if (bytes < 0 || tokens < 0) break
    parts.push(part)
  }
  return parts.length === 0 ? '' : [ABOUT_MODULES, ...parts].join('\n')
}
