import { characters, COMMAND_NAME_LIMIT, isBlank, type CommandFile } from '../../contract/commands.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { fold, storable } from '../kernel/text/plain-text.ts'
import { commandName, commandPrompt, commandRunMode } from './command-text.ts'
import type { ImportedCommand } from './import-plan.ts'

const MOST = 50

export interface ReadCommandFile {
  /** Folded name → name. */
  readonly folders: ReadonlyMap<string, string>
  readonly commands: readonly ImportedCommand[]
}

/** Validates the contents of a file. @throws {AppError} bad_command_import with the path of each wrong value */
export function readCommandFile(file: CommandFile): ReadCommandFile {
  const errors: { path: string; message: Sentence }[] = []
  /** The value, or null after recording why there is none. */
  function noting<T>(path: string, read: () => T): T | null {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push({ path, message: error.detail })
      return null
    }
  }

  const folders = new Map<string, string>()
  file.folders.forEach(({ name }, at) => {
    const text = noting(`folders.${at}.name`, () => folderName(name))
    if (text !== null && !folders.has(fold(text))) folders.set(fold(text), text)
  })
  const commands = file.commands.flatMap((command, at): ImportedCommand[] => {
    const place = `commands.${at}`
    const name = noting(`${place}.name`, () => commandName(command.name))
    const prompt = noting(`${place}.prompt`, () => commandPrompt(command.prompt))
    const run_mode = noting(`${place}.run_mode`, () => commandRunMode(command.run_mode))
    const folder = command.folder === null ? null : fold(storable(command.folder.trim()))
    if (folder !== null && !folders.has(folder)) {
      errors.push({ path: `${place}.folder`, message: say`This folder is not among the folders of the file.` })
    }
    return name === null || prompt === null || run_mode === null ? [] : [{ name, prompt, run_mode, folder }]
  })
  if (errors.length > 0) {
    const [{ path, message }] = errors as [(typeof errors)[number]]
    throw new AppError('bad_command_import', say`Nothing was imported. ${path}: ${message}`, {
      errors: errors.slice(0, MOST),
    })
  }
  return { folders, commands }
}

function folderName(text: string): string {
  const name = storable(text.trim())
  if (isBlank(name)) throw new AppError('bad_name', say`A folder needs a name.`)
  if (characters(name) > COMMAND_NAME_LIMIT) {
    throw new AppError('bad_name', say`A name may have at most ${COMMAND_NAME_LIMIT} characters.`)
  }
  return name
}
