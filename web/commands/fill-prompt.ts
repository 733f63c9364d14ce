import type { PromptEntry } from '../../contract/prompts.ts'
import { VARIABLE_NAME_LIMIT } from '../../contract/variables.ts'
import { call } from '../client/api.ts'

/** The text of a module's prompt with these arguments, as written by the module. Throws the reason if there is none. */
export async function fillModulePrompt(entry: PromptEntry, args: Readonly<Record<string, string>>): Promise<string> {
  const params = { module: entry.module, prompt: entry.name }
  const { text } = await call('POST /api/chat/prompts/{module}/{prompt}', { params, body: { arguments: args } })
  return text
}

/** The same as a template: each argument becomes a variable of a quick command. */
export function promptTemplate(entry: PromptEntry): Promise<string> {
  const variables = entry.arguments.map(({ name }) => [name, `{{${variableName(name)}}}`] as const)
  return fillModulePrompt(entry, Object.fromEntries(variables))
}

/** The argument's name, adapted to the rules for variable names. */
function variableName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '_').replace(/^[^\p{L}_]+|[ ]+$/gu, '')
  return [...plain].slice(0, VARIABLE_NAME_LIMIT).join('').trimEnd() || 'value'
}
