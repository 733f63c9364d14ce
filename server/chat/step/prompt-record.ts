import { cut } from '../../kernel/text/plain-text.ts'
import type { PromptTool } from '../ports/model.ts'
import type { UserPolicy } from '../ports/policy.ts'
import type { Summary } from './prompt.ts'
import { systemPrompt } from './system-prompt.ts'
import { toolTokens } from './tokens.ts'

/** Tools and characters that are kept of a prompt. */
const TOOLS = 200
const CHARACTERS = 20_000

/** What of a prompt cannot be read again from the conversation: kept with its step. Never a secret. */
export interface PromptRecord {
  /** The newest message that was left out; null: none was. */
  readonly left_out: string | null
  readonly summary: string | null
  readonly shortened: boolean
  /** Of a run's first step: what all its steps have in common. */
  readonly frame?: {
    readonly system: string
    readonly personal: string
    readonly tools: readonly (readonly [name: string, tokens: number])[]
    readonly tool_count: number
    readonly tool_tokens: number
  }
}

export function recordPrompt(
  about: { readonly first: boolean; readonly left_out: string | null; readonly shortened: boolean },
  summary: Summary | null,
  tools: readonly PromptTool[],
  { policy, told }: { readonly policy: UserPolicy; readonly told: Parameters<typeof systemPrompt>[2] },
): PromptRecord {
  const { first, left_out, shortened } = about
  const record = { left_out, shortened, summary: summary === null ? null : cut(summary.text, CHARACTERS) }
  if (!first) return record
  return {
    ...record,
    frame: {
      system: systemPrompt({ ...policy, personal_prompt: '' }, new Date(), told),
      personal: cut(policy.personal_prompt, CHARACTERS),
      tools: tools.slice(0, TOOLS).map((tool) => [tool.name, toolTokens([tool])]),
      tool_count: tools.length,
      tool_tokens: toolTokens(tools),
    },
  }
}
