import type { PromptTool } from '../../chat/ports/model.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import type { DirectTexts } from './direct-texts.ts'

const LINE = 140

/** A Markdown list of the available tools, grouped by module, one line each. */
export function toolList(tools: readonly PromptTool[], texts: DirectTexts): string {
  if (tools.length === 0) return texts.nothingToRun
  const modules = Map.groupBy(tools, (tool) => tool.name.split('.', 1)[0]!)
  const groups = [...modules].map(([module, own]) => `**${module}**\n\n${toolLines(own)}`)
  return [texts.canBeRun, ...groups].join('\n\n')
}

/** A Markdown list of these tools, one line each. */
export function toolLines(tools: readonly PromptTool[]): string {
  return tools.map(line).join('\n')
}

function line(tool: PromptTool): string {
  const text = firstSentence(tool.read?.description ?? tool.description)
  return text === '' ? `- \`/${tool.name}\`` : `- \`/${tool.name}\` – ${text}`
}

/** Descriptions are written for models and may be long: their first sentence says what the tool is, as plain text. */
function firstSentence(description: string): string {
  const flat = description.replace(/\s+/g, ' ').trim()
  const sentence = /^.+?[.!?](?=\s|$)/.exec(flat)?.[0] ?? flat
  const short = sentence.length > LINE ? `${cut(sentence, LINE - 1).trimEnd()}…` : sentence
  return short.replace(/[\\`*_[\]<>|]/g, '\\$&')
}
