import type { ToolEntry } from '../../contract/chat.ts'
import type { Command } from '../../contract/commands.ts'
import { rank } from '../palette/rank.ts'
import { commandQuery, findTools, toolName } from './tool-command.ts'

/** What `/` offers: a quick command of the person, or a tool. */
export type Suggestion =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'tool'; readonly tool: ToolEntry }

/** More would push the tools out of sight; typing finds the others. */
const COMMANDS_SHOWN = 6

export function suggestionKey(suggestion: Suggestion): string {
  return suggestion.kind === 'tool' ? toolName(suggestion.tool) : suggestion.command.command_id
}

/**
 * What the text being typed may mean, quick commands first, or null when it asks for nothing. A command's name may hold
 * spaces (`/weekly rep`), so it is looked for in the whole line up to the caret; the list is then open only while one fits.
 */
export function suggest(
  text: string,
  caret: number,
  commands: readonly Command[],
  tools: readonly ToolEntry[],
): readonly Suggestion[] | null {
  const typed = /^\/([^\n]{0,80})$/.exec(text.slice(0, caret))?.[1]
  if (typed === undefined) return null
  const toolQuery = commandQuery(text, caret)
  // A space at the end closes the list, as after a chosen tool: what follows are its arguments.
  const found = typed.endsWith(' ') ? [] : findCommandsByName(commands, typed)
  if (toolQuery === null && found.length === 0) return null
  return [
    ...found.map((command) => ({ kind: 'command' as const, command })),
    ...(toolQuery === null ? [] : findTools(tools, toolQuery)).map((tool) => ({ kind: 'tool' as const, tool })),
  ]
}

function findCommandsByName(commands: readonly Command[], query: string): readonly Command[] {
  return commands
    .flatMap((command) => {
      const found = rank(command.name, query)
      return found ? [{ command, score: found.score }] : []
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, COMMANDS_SHOWN)
    .map(({ command }) => command)
}
