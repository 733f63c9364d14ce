import type { Reader, Trx } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import type { LoadedTool } from './tool-offer.ts'

/** Calls of a conversation from before it had anything loaded, the last ones. */
const EARLIER = 20

const LOADED = query((db, is: { conversation_id: string }) =>
  db.selectFrom('conversation').select('loaded_tools').where('conversation_id', '=', is.conversation_id),
)

const CALLED = query((db, is: { conversation_id: string }) =>
  db
    .selectFrom('tool_call')
    .innerJoin('run', 'run.run_id', 'tool_call.run_id')
    .select(['tool_call.module', 'tool_call.tool'])
    .where('run.conversation_id', '=', is.conversation_id)
    .where('tool_call.module', '!=', '')
    .orderBy('tool_call.tool_call_id', 'desc')
    .limit(EARLIER),
)

/** What a conversation has found and used; where it never had to find anything, what it has called. */
export async function readLoaded(reader: Reader, conversation_id: string): Promise<readonly LoadedTool[]> {
  const row = await LOADED.first(reader, { conversation_id })
  if (row?.loaded_tools != null) return JSON.parse(row.loaded_tools) as LoadedTool[]
  const calls = await CALLED.all(reader, { conversation_id })
  const names = [...new Set(calls.reverse().map(({ module, tool }) => `${module}.${tool}`))]
  return names.map((name, at) => ({ name, used: at + 1 }))
}

export async function storeLoaded(trx: Trx, conversation_id: string, loaded: readonly LoadedTool[]): Promise<void> {
  await trx
    .updateTable('conversation')
    .set({ loaded_tools: JSON.stringify(loaded) })
    .where('conversation_id', '=', conversation_id)
    .execute()
}
