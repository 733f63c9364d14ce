import { definitionTokens, textTokens } from '../../kernel/text/token-estimate.ts'
import type { PromptMessage, PromptTool } from '../ports/model.ts'

/** Approximate tokens per image with the usual providers. */
export const IMAGE_TOKENS = 1500
const MESSAGE = 8

export function messageTokens(message: PromptMessage): number {
  switch (message.role) {
    case 'user':
      return message.content.reduce(
        (sum, part) => sum + (part.type === 'text' ? textTokens(part.text) : IMAGE_TOKENS),
        MESSAGE,
      )
    case 'assistant':
      return (
        MESSAGE +
        textTokens(message.text) +
        message.reasoning.reduce((sum, part) => sum + textTokens(part.text), 0) +
        message.calls.reduce((sum, call) => sum + MESSAGE + textTokens(JSON.stringify(call.input)), 0)
      )
    case 'tool':
      return message.results.reduce(
        (sum, { output, pictures = [] }) => sum + textTokens(output) + pictures.length * IMAGE_TOKENS,
        MESSAGE,
      )
  }
}

export function toolTokens(tools: readonly PromptTool[]): number {
  return tools.reduce((sum, tool) => sum + definitionTokens(tool), 0)
}
