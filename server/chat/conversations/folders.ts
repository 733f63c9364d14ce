import type { z } from 'zod'
import type { Folder } from '../../../contract/chat.ts'
import type { Database, Trx } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { newId } from '../../kernel/id.ts'
import { fold, storable } from '../../kernel/text/plain-text.ts'
import { byName } from '../../kernel/text/name-order.ts'
import type { Activity } from '../history/activity.ts'

const OF_USER = query((db, is: { user_id: string }) =>
  db.selectFrom('folder').select(['folder_id', 'name']).where('user_id', '=', is.user_id).orderBy('name_folded'),
)

/** Folders of conversations. A name is unique per owner, ignoring case, enforced by a constraint. */
export class Folders {
  readonly #db: Database
  readonly #activity: Activity

  constructor(db: Database, activity: Activity) {
    this.#db = db
    this.#activity = activity
  }

  async list(user_id: string, language: string): Promise<z.infer<typeof Folder>[]> {
    return byName(await OF_USER.all(this.#db.read, { user_id }), language, ({ name }) => name)
  }

  /** @throws {AppError} folder_exists */
  async create(user_id: string, given: string): Promise<z.infer<typeof Folder>> {
    const folder = { folder_id: newId('folder'), name: storable(given) }
    await this.#change(user_id, folder.name, (trx) =>
      trx
        .insertInto('folder')
        .values({ ...folder, user_id, name_folded: fold(folder.name), created_at: Date.now() })
        .execute(),
    )
    return folder
  }

  /** @throws {AppError} not_found, folder_exists */
  async rename(user_id: string, folder_id: string, given: string): Promise<z.infer<typeof Folder>> {
    const name = storable(given)
    await this.#change(user_id, name, async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('folder')
        .set({ name, name_folded: fold(name) })
        .where('folder_id', '=', folder_id)
        .where('user_id', '=', user_id)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw noFolder()
    })
    return { folder_id, name }
  }

  /** Moves its conversations out and deletes none of them. @throws {AppError} not_found */
  async delete(user_id: string, folder_id: string): Promise<void> {
    await this.#change(user_id, '', async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('folder')
        .where('folder_id', '=', folder_id)
        .where('user_id', '=', user_id)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw noFolder()
    })
  }

  async #change(user_id: string, name: string, write: (trx: Trx) => Promise<unknown>): Promise<void> {
    try {
      await this.#db.transaction(async (trx) => {
        await write(trx)
        await this.#activity.append(trx, user_id, [{ type: 'folder.changed' }])
      })
    } catch (error) {
      if (this.#db.isUniqueViolation(error))
        throw new AppError('folder_exists', say`A folder “${name}” already exists.`)
      throw error
    }
  }
}

function noFolder(): AppError {
  return new AppError('not_found', say`There is no such folder.`)
}
