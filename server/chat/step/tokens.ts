import type { PromptMessage, PromptTool } from '../ports/model.ts'

/** Approximate tokens per image with the usual providers. */
export const IMAGE_TOKENS = 1500
const MESSAGE = 8

/**
 * A conservative estimate without the provider's tokenizer: about 3.5 bytes per token, so rather too many than too few.
 */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3.5)
}

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
      return message.results.reduce((sum, result) => sum + textTokens(result.output), MESSAGE)
  }
}

/** Keyed by schema object: a tool keeps it while its module runs, and every step counts every tool. */
const counted = new WeakMap<object, number>()

export function toolTokens(tools: readonly PromptTool[]): number {
  return tools.reduce((sum, tool) => {
    let tokens = counted.get(tool.input_schema)
    if (tokens === undefined) {
      const { name, description, input_schema } = tool
      tokens = textTokens(JSON.stringify({ name, description, input_schema }))
      counted.set(tool.input_schema, tokens)
    }
    return sum + tokens
  }, 0)
}
