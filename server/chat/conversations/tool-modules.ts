import type { ConversationTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'

type Columns = Pick<ConversationTable, 'tool_modules'>

/** The modules whose tools its owner lets a conversation use; null: all. */
export function modulesOf({ tool_modules }: Columns): string[] | null {
  return tool_modules === null ? null : (JSON.parse(tool_modules) as string[])
}

/** In one order, so that the same choice always offers the same. */
export function modulesColumn(modules: readonly string[] | null): Columns {
  return { tool_modules: modules && JSON.stringify([...new Set(modules)].sort()) }
}

export async function storeModules(
  trx: Trx,
  conversation_id: string,
  modules: readonly string[] | null,
): Promise<void> {
  await trx
    .updateTable('conversation')
    .set(modulesColumn(modules))
    .where('conversation_id', '=', conversation_id)
    .execute()
}
