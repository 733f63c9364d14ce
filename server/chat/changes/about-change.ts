import type { Reader } from '../../db/database.ts'
import type { CallAbout, Tool } from '../ports/tools.ts'

/**
 * What a tool is told besides the arguments when it is to take a change back: what it was, if the user made it with this
 * module and this tool takes it back, or is the preview of that one. Empty for every other call.
 */
export async function aboutChange(
  reader: Reader,
  user_id: string,
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
): Promise<CallAbout> {
  const change_id = changeOf(input)
  if (change_id === null) return {}
  const row = await reader
    .selectFrom('change')
    .select(['tool_call_id', 'target', 'name', 'before', 'before_hash', 'after_hash'])
    .where('change_id', '=', change_id)
    .where('user_id', '=', user_id)
    .where('module', '=', tool.module)
    .where('undo_tool', '=', tool.name)
    .where('undone_by', 'is', null)
    .executeTakeFirst()
  return row === undefined ? {} : { change: row }
}

/** The id of the change that a call names, if it can be one. */
export function changeOf({ change }: Readonly<Record<string, unknown>>): string | null {
  return typeof change === 'string' && /^chg_[0-9a-z]{1,60}$/.test(change) ? change : null
}
