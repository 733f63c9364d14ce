import { definitionTokens } from '../../kernel/text/token-estimate.ts'
import type { PromptTool } from './model.ts'

/** The share of a model's context that definitions of tools may fill. */
const SHARE = 0.25
/** Providers take 128 tools in one request at most, some of them more. */
const COUNT = 128

/** What definitions of tools may take in one request. */
export interface ToolBudget {
  readonly tokens: number
  readonly count: number
}

/** `scale`: the share of its usual size that the request may have. */
export function toolBudget(context_tokens: number, scale = 1): ToolBudget {
  return { tokens: Math.floor(context_tokens * SHARE * scale), count: COUNT }
}

/** The share that words of modules about their tools may fill. */
const WORDS = 1 / 16

export function wordTokens(context_tokens: number, scale: number): number {
  return Math.floor(context_tokens * WORDS * scale)
}

/** Takes tools one by one for as long as they fit. */
export class ToolRoom {
  #tokens: number
  #count: number

  constructor({ tokens, count }: ToolBudget) {
    this.#tokens = tokens
    this.#count = count
  }

  get left(): ToolBudget {
    return { tokens: this.#tokens, count: this.#count }
  }

  /** Whether it fits; then its room is taken. */
  take(tool: PromptTool): boolean {
    const tokens = definitionTokens(tool)
    if (this.#count < 1 || this.#tokens < tokens) return false
    this.#tokens -= tokens
    this.#count -= 1
    return true
  }
}
