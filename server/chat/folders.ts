import type { z } from 'zod'
import type { Folder } from '../../contract/chat.ts'
import type { Database } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { fold, storable } from '../kernel/text.ts'

/** Folders of conversations. A name is unique per owner, ignoring case: a constraint says so. */
export class Folders {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  list(user_id: string): Promise<z.infer<typeof Folder>[]> {
    return this.#db.read
      .selectFrom('folder')
      .select(['folder_id', 'name'])
      .where('user_id', '=', user_id)
      .orderBy('name_folded')
      .execute()
  }

  /** @throws {AppError} folder_exists */
  async create(user_id: string, name: string): Promise<z.infer<typeof Folder>> {
    const folder = { folder_id: newId('folder'), name: storable(name) }
    try {
      await this.#db.read
        .insertInto('folder')
        .values({ ...folder, user_id, name_folded: fold(folder.name), created_at: Date.now() })
        .execute()
    } catch (error) {
      if (this.#db.isUniqueViolation(error)) throw new AppError('folder_exists', `There is a folder “${name}” already.`)
      throw error
    }
    return folder
  }

  /** Unfiles its conversations, deletes none of them. @throws {AppError} not_found */
  async delete(user_id: string, folder_id: string): Promise<void> {
    const { numDeletedRows } = await this.#db.read
      .deleteFrom('folder')
      .where('folder_id', '=', folder_id)
      .where('user_id', '=', user_id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw new AppError('not_found', 'There is no such folder.')
  }
}
