import type { ToolEntry } from '../../../../contract/chat.ts'
import type { Command } from '../../../../contract/commands.ts'
import { rank } from '../../../shell/palette/rank.ts'
import { HOST_ARGUMENT, MACHINE_MODULE } from '../../../../contract/host-values.ts'
import { commandQuery, commandTool, findTools, toolArguments, toolName } from '../tool-command.ts'

/** A suggestion for what is typed: one of the user's quick commands, a tool, or a machine or tag after `host=`. */
export type Suggestion =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'tool'; readonly tool: ToolEntry }
  | { readonly kind: 'host'; readonly word: string }

const TYPED_HOST = new RegExp(`\\s${HOST_ARGUMENT}=([#\\w.-]{0,64})$`)

/** More would push the tools out of sight; typing finds the rest. */
const COMMANDS_SHOWN = 6

export function suggestionKey(suggestion: Suggestion): string {
  if (suggestion.kind === 'host') return suggestion.word
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
  hosts: readonly string[] = [],
): readonly Suggestion[] | null {
  const machines = suggestHosts(text, caret, tools, hosts)
  if (machines !== null) return machines
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

/** Null also where the name is complete, so that Enter sends, and where none begins like it. */
function suggestHosts(
  text: string,
  caret: number,
  tools: readonly ToolEntry[],
  hosts: readonly string[],
): readonly Suggestion[] | null {
  const typed = typedHost(text, caret)
  const tool = typed === null ? null : commandTool(tools, text)
  if (typed === null || tool?.module !== MACHINE_MODULE) return null
  if (!toolArguments(tool.input_schema).some(({ name }) => name === HOST_ARGUMENT)) return null
  const word = typed.toLowerCase()
  const found = hosts.filter((host) => host.toLowerCase().startsWith(word))
  if (found.length === 0 || found.some((host) => host.toLowerCase() === word)) return null
  return found.map((host) => ({ kind: 'host', word: host }))
}

/** What is typed after `host=` up to the caret, at the end of a word; null where the caret is elsewhere. */
function typedHost(text: string, caret: number): string | null {
  const typed = TYPED_HOST.exec(text.slice(0, caret))?.[1]
  return typed === undefined || /^\S/.test(text.slice(caret)) ? null : typed
}

/** The text with the chosen machine in place of what was typed of it. */
export function withHost(text: string, caret: number, word: string): string {
  const typed = typedHost(text, caret) ?? ''
  return `${text.slice(0, caret - typed.length)}${word} ${text.slice(caret).trimStart()}`
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
