import { characters, COMMAND_NAME_LIMIT, type RunMode } from '../../contract/commands.ts'
import { fold } from '../kernel/text/plain-text.ts'

/** A validated command to import. `folder` is the folded name of its folder. */
export interface ImportedCommand {
  readonly name: string
  readonly prompt: string
  readonly run_mode: RunMode
  readonly folder: string | null
}
export interface ExistingCommand extends ImportedCommand {
  readonly command_id: string
}
export type ImportStep =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'created' | 'renamed'; readonly command: ImportedCommand }
  | { readonly kind: 'replaced'; readonly command: ImportedCommand; readonly command_id: string }

/**
 * What an import does with each command, in file order. One that exists already, identical in everything, is skipped,
 * so importing a file twice adds nothing. One with the name and folder of an existing command replaces it (`replace`)
 * or gets a new name (`rename`). Commands of the same name within the file stay separate.
 */
export function planImport(
  imported: readonly ImportedCommand[],
  existing: readonly ExistingCommand[],
  onConflict: 'rename' | 'replace',
): ImportStep[] {
  const there = Map.groupBy(existing, keyOf)
  // Each existing command matches one command of the file; identical ones are matched first.
  const steps = imported.map((command): ImportStep | null =>
    take(there.get(keyOf(command)), (other) => same(command, other)) ? { kind: 'unchanged' } : null,
  )
  const newName = nameGiver([...imported, ...existing])
  return steps.map((step, at) => {
    if (step) return step
    const command = imported[at]!
    const others = there.get(keyOf(command))
    if (others === undefined) return { kind: 'created', command }
    if (onConflict === 'rename') return { kind: 'renamed', command: { ...command, name: newName(command) } }
    const other = take(others, () => true)
    return other ? { kind: 'replaced', command, command_id: other.command_id } : { kind: 'created', command }
  })
}

function keyOf({ folder, name }: Pick<ImportedCommand, 'folder' | 'name'>): string {
  return JSON.stringify([folder, fold(name)])
}

function same(a: ImportedCommand, b: ImportedCommand): boolean {
  return a.name === b.name && a.prompt === b.prompt && a.run_mode === b.run_mode
}

/** Removes the first match from the list and returns it. */
function take(
  list: ExistingCommand[] | undefined,
  fits: (command: ExistingCommand) => boolean,
): ExistingCommand | undefined {
  const at = list?.findIndex(fits) ?? -1
  return at < 0 ? undefined : list!.splice(at, 1)[0]
}

/**
 * `Name` → `Name (2)`, `Name (2)` → `Name (3)`: the first that is free in the folder, cut to the maximum length of
 * names.
 */
function nameGiver(taken: readonly ImportedCommand[]): (command: ImportedCommand) => string {
  const keys = new Set(taken.map(keyOf))
  const next = new Map<string, number>()
  return ({ name, folder }) => {
    const base = name.replace(/ \(\d{1,4}\)$/, '') || name
    const counter = keyOf({ folder, name: base })
    for (let number = next.get(counter) ?? 2; ; number++) {
      const suffix = ` (${number})`
      const room = COMMAND_NAME_LIMIT - characters(suffix)
      const candidate = [...base].slice(0, room).join('').trimEnd() + suffix
      const key = keyOf({ folder, name: candidate })
      if (keys.has(key)) continue
      keys.add(key)
      next.set(counter, number + 1)
      return candidate
    }
  }
}
