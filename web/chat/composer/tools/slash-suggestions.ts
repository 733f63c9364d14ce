import type { ToolEntry } from '../../../../contract/chat.ts'
import type { Command } from '../../../../contract/commands.ts'
import { rank } from '../../../shell/palette/rank.ts'
import { commandQuery, findTools, toolName } from '../tool-command.ts'

/** A suggestion for `/`: one of the user's quick commands, or a tool. */
export type Suggestion =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'tool'; readonly tool: ToolEntry }

/** More would push the tools out of sight; typing finds the rest. */
const COMMANDS_SHOWN = 6

export function suggestionKey(suggestion: Suggestion): string {
  return suggestion.kind === 'tool' ? toolName(suggestion.tool) : suggestion.command.command_id
}

/**
 * Suggestions for the typed text, quick commands first, or null when it asks for none. A command's name may contain
 * spaces (`/weekly rep`), so the whole line up to the caret is matched; the list is then open only while one matches.
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
  // A trailing space closes the list, as after choosing a tool: arguments follow.
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
