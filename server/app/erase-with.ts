import type { Bin } from '../chat/conversations/bin.ts'
import type { Database } from '../db/database.ts'
import type { Files } from '../files/files.ts'
import { createEraseUser } from '../operation/erase-user.ts'
import { eraseProcedures } from './mount/mount-procedures.ts'

/** Erases what a user has in every feature; `bin` is there once the chat is. */
export function eraseWith(
  db: Database,
  files: Pick<Files, 'eraseAll'>,
  bin: () => Pick<Bin, 'eraseAll'>,
): (user_id: string) => Promise<void> {
  return createEraseUser(db, {
    conversations: (user_id) => bin().eraseAll(user_id),
    files: (user_id) => files.eraseAll(user_id),
    procedures: (user_id) => eraseProcedures(db, user_id),
  })
}
