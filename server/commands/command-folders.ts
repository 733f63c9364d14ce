import { COMMAND_FOLDERS_LIMIT, type CommandFolder } from '../../contract/commands.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { newId } from '../kernel/id.ts'
import { byName } from '../kernel/text/name-order.ts'
import { fold, storable } from '../kernel/text/plain-text.ts'
import { changeCommands, type CommandsContext } from './change-commands.ts'

/** Folders of quick commands. A name is unique per owner, ignoring case and accents, enforced by a constraint. */
export class CommandFolders {
  readonly #context: CommandsContext

  constructor(context: CommandsContext) {
    this.#context = context
  }

  async list(user_id: string, language: string): Promise<CommandFolder[]> {
    const rows = await this.#context.db.read
      .selectFrom('command_folder')
      .select(['folder_id', 'name'])
      .where('user_id', '=', user_id)
      .orderBy('name_folded')
      .execute()
    return byName(rows, language, ({ name }) => name)
  }

  /** @throws {AppError} folder_exists, too_many_folders */
  async create(user_id: string, name: string): Promise<CommandFolder> {
    const row = newFolderRow(user_id, name, Date.now())
    try {
      return await changeCommands(this.#context, user_id, async (trx) => {
        await trx.insertInto('command_folder').values(row).execute()
        // Counted afterwards, so that a name that is taken is reported as such.
        await refuseTooManyFolders(trx, user_id)
        return { answer: { folder_id: row.folder_id, name: row.name }, changed: { folder_id: row.folder_id } }
      })
    } catch (error) {
      if (!this.#context.db.isUniqueViolation(error)) throw error
      throw new AppError('folder_exists', say`A folder “${row.name}” already exists; case and accents are ignored.`)
    }
  }

  /** Moves its commands out and deletes none of them. @throws {AppError} not_found */
  async delete(user_id: string, folder_id: string): Promise<void> {
    await changeCommands(this.#context, user_id, async (trx) => {
      await findFolder(trx, user_id, folder_id)
      await trx.deleteFrom('command_folder').where('folder_id', '=', folder_id).execute()
      return { answer: undefined, changed: { folder_id } }
    })
  }
}

export function newFolderRow(user_id: string, name: string, now: number) {
  const stored = storable(name)
  return { folder_id: newId('folder'), user_id, name: stored, name_folded: fold(stored), created_at: now }
}

/** @throws {AppError} not_found when it does not exist or belongs to another user */
export async function findFolder(reader: Reader, user_id: string, folder_id: string): Promise<void> {
  const row = await reader
    .selectFrom('command_folder')
    .select('folder_id')
    .where('folder_id', '=', folder_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', say`There is no such folder.`)
}

/** @throws {AppError} too_many_folders when the limit is now exceeded */
export async function refuseTooManyFolders(reader: Reader, user_id: string): Promise<void> {
  const { count } = await reader
    .selectFrom('command_folder')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  if (Number(count) > COMMAND_FOLDERS_LIMIT) {
    throw new AppError(
      'too_many_folders',
      say`You may have at most ${COMMAND_FOLDERS_LIMIT} folders. Delete some first.`,
    )
  }
}
