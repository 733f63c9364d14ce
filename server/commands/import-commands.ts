import type { CommandFile } from '../../contract/commands.ts'
import type { Trx } from '../db/database.ts'
import { changeCommands, type CommandsContext } from './change-commands.ts'
import { newFolderRow, refuseTooManyFolders } from './command-folders.ts'
import { nameColumns } from './command-text.ts'
import { newRow, promptColumns, refuseTooMany } from './commands.ts'
import { type ExistingCommand, type ImportStep, planImport } from './import-plan.ts'
import { readCommandFile } from './read-command-file.ts'

export interface ImportResult extends Record<ImportStep['kind'], number> {
  readonly folders_created: number
}

/** Rows per statement: both databases limit its parameters. */
const BATCH = 200

/**
 * Adds exported commands to the user's own: all of them, or none. See planImport for how existing ones are handled.
 * @throws {AppError} bad_command_import, too_many_commands, too_many_folders
 */
export async function importCommands(
  context: CommandsContext,
  user_id: string,
  file: CommandFile,
  onConflict: 'rename' | 'replace',
): Promise<ImportResult> {
  const read = readCommandFile(file)
  const now = Date.now()
  return changeCommands(context, user_id, async (trx) => {
    const { folderIds, folders_created } = await addFolders(trx, user_id, read.folders, now)
    const steps = planImport(read.commands, await readExisting(trx, user_id, folderIds), onConflict)
    const idOf = (folder: string | null) => (folder === null ? null : folderIds.get(folder)!)
    const rows = steps.flatMap((step) =>
      step.kind === 'created' || step.kind === 'renamed'
        ? [newRow(user_id, step.command, idOf(step.command.folder), now)]
        : [],
    )
    await refuseTooMany(trx, user_id, rows.length)
    for (let at = 0; at < rows.length; at += BATCH) {
      await trx
        .insertInto('command')
        .values(rows.slice(at, at + BATCH))
        .execute()
    }
    for (const step of steps) {
      if (step.kind !== 'replaced') continue
      const { name, prompt, run_mode } = step.command
      await trx
        .updateTable('command')
        .set({ ...nameColumns(name), ...promptColumns(prompt), run_mode, updated_at: now })
        .where('command_id', '=', step.command_id)
        .execute()
    }
    const count = (kind: ImportStep['kind']) => steps.filter((step) => step.kind === kind).length
    const counts = { created: count('created'), renamed: count('renamed'), replaced: count('replaced') }
    const any = folders_created > 0 || Object.values(counts).some((number) => number > 0)
    return { answer: { ...counts, unchanged: count('unchanged'), folders_created }, changed: any ? {} : null }
  })
}

/** Ids of all the user's folders by folded name, including those of the file that were missing. */
async function addFolders(trx: Trx, user_id: string, wanted: ReadonlyMap<string, string>, now: number) {
  const existing = await trx
    .selectFrom('command_folder')
    .select(['folder_id', 'name_folded'])
    .where('user_id', '=', user_id)
    .execute()
  const folderIds = new Map(existing.map((row) => [row.name_folded, row.folder_id]))
  const rows = [...wanted].flatMap(([folded, name]) =>
    folderIds.has(folded) ? [] : [newFolderRow(user_id, name, now)],
  )
  for (const row of rows) folderIds.set(row.name_folded, row.folder_id)
  if (rows.length > 0) {
    await trx.insertInto('command_folder').values(rows).execute()
    await refuseTooManyFolders(trx, user_id)
  }
  return { folderIds, folders_created: rows.length }
}

async function readExisting(
  trx: Trx,
  user_id: string,
  folderIds: ReadonlyMap<string, string>,
): Promise<ExistingCommand[]> {
  const names = new Map([...folderIds].map(([folded, folder_id]) => [folder_id, folded]))
  const rows = await trx
    .selectFrom('command')
    .select(['command_id', 'name', 'prompt', 'run_mode', 'folder_id'])
    .where('user_id', '=', user_id)
    .orderBy('command_id')
    .execute()
  return rows.map(({ folder_id, ...row }) => ({
    ...row,
    folder: folder_id === null ? null : (names.get(folder_id) ?? null),
  }))
}
