import type { Command, CommandFolder } from '../../contract/commands.ts'
import { rank } from '../shell/palette/rank.ts'

/** Commands whose name, prompt or folder contains every word, ignoring case and accents, in their order. */
export function findCommands(
  commands: readonly Command[],
  folders: readonly CommandFolder[],
  query: string,
): readonly Command[] {
  const words = query.trim().split(/\s+/)
  const nameOf = new Map(folders.map((folder) => [folder.folder_id, folder.name]))
  return commands.filter((command) => {
    const text = `${command.name}\n${command.prompt}\n${nameOf.get(command.folder_id ?? '') ?? ''}`
    return words.every((word) => rank(text, word) !== null)
  })
}
