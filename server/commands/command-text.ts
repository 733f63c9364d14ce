import {
  characters,
  COMMAND_NAME_LIMIT,
  COMMAND_PROMPT_LIMIT,
  isBlank,
  RUN_MODES,
  type RunMode,
} from '../../contract/commands.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { fold, storable } from '../kernel/text/plain-text.ts'

/** The name of a command, trimmed and storable. @throws {AppError} bad_name */
export function commandName(text: string): string {
  const name = storable(text.trim())
  if (isBlank(name)) throw new AppError('bad_name', say`Give the command a name.`)
  if (characters(name) > COMMAND_NAME_LIMIT) {
    throw new AppError('bad_name', say`A name may have at most ${COMMAND_NAME_LIMIT} characters.`)
  }
  return name
}

/** The prompt as written; leading and trailing spaces may be intended. @throws {AppError} bad_prompt */
export function commandPrompt(text: string): string {
  if (isBlank(text)) throw new AppError('bad_prompt', say`Give the command a prompt.`)
  if (characters(text) > COMMAND_PROMPT_LIMIT) {
    throw new AppError('bad_prompt', say`A prompt may have at most ${COMMAND_PROMPT_LIMIT} characters.`)
  }
  return storable(text)
}

/** @throws {AppError} bad_run_mode */
export function commandRunMode(text: string): RunMode {
  const mode = RUN_MODES.find((each) => each === text)
  if (mode === undefined) throw new AppError('bad_run_mode', say`The run mode must be one of ${RUN_MODES.join(', ')}.`)
  return mode
}

const SORT_BYTES = 100

/** The columns derived from a name. */
export function nameColumns(name: string): { name: string; name_folded: string; name_sort: string } {
  const name_folded = fold(name)
  return { name, name_folded, name_sort: sortKey(name_folded) }
}

/** As much of a folded name as fits in a cursor. */
function sortKey(folded: string): string {
  let key = ''
  let bytes = 0
  for (const character of folded) {
    bytes += Buffer.byteLength(character)
    if (bytes > SORT_BYTES) break
    key += character
  }
  return key
}
