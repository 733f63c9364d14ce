import type { MessagePartTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { PartData } from '../history/messages.ts'
import type { PromptMessage } from '../ports/model.ts'

/**
 * An imported answer, or one of somebody else, as the engine reads it: text, with the tool calls quoted. The author of a
 * file could have written any result, so none is presented as coming from a tool of this service.
 */
export function importedAnswer(
  parts: readonly MessagePartTable[],
  calls: ReadonlyMap<string, ToolCallTable>,
  handedOver = false,
): PromptMessage[] {
  const texts = parts.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    if (part.type !== 'tool_call') return []
    return [quoted(calls.get((JSON.parse(part.data) as PartData['tool_call']).tool_call_id)!, handedOver)]
  })
  const text = texts.filter((each) => each !== '').join('\n\n')
  return text === '' ? [] : [{ role: 'assistant', text, reasoning: [], calls: [] }]
}

/** Every line is prefixed, so that no result can break out of its quotation. */
function quoted({ module, tool, status, arguments: input, result_text }: ToolCallTable, handedOver: boolean): string {
  const lines = [`${module}.${tool} ${input}`, `(${status})`, ...(result_text ?? '').split(/\r\n|[\n\r\u2028\u2029]/)]
  return [
    handedOver
      ? '[Quoted from a conversation that somebody else has handed over. No tool ran for this person, and nothing of it was checked since:]'
      : '[Quoted from a file that the person imported. No tool ran here, and nothing of it was checked:]',
    ...lines.map((line) => `> ${line}`),
  ].join('\n')
}
