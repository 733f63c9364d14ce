import { LOCAL_HOST } from '../../../contract/host-values.ts'
import type { Reader } from '../../db/database.ts'
import type { CallHost } from '../ports/hosts.ts'
import type { CallAbout, Tool } from '../ports/tools.ts'

/** A change that a call is to take back, and the machine on which it was made. */
export interface NamedChange {
  readonly host_id: string
  readonly change: NonNullable<CallAbout['change']>
}

/**
 * The change that a call is to take back, if the user made it with this module and this tool takes it back, or is the
 * preview of that one. Null for every other call.
 */
export async function changeNamed(
  reader: Reader,
  user_id: string,
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
): Promise<NamedChange | null> {
  const change_id = changeOf(input)
  if (change_id === null) return null
  const row = await reader
    .selectFrom('change')
    .select(['host', 'tool_call_id', 'target', 'name', 'before', 'before_hash', 'after_hash'])
    .where('change_id', '=', change_id)
    .where('user_id', '=', user_id)
    .where('module', '=', tool.module)
    .where('undo_tool', '=', tool.name)
    .where('undone_by', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return null
  const { host, ...change } = row
  return { host_id: host, change }
}

/** What a tool is told of it besides the arguments: where it was made, and nowhere else. */
export function aboutChange(named: NamedChange | null, host: CallHost | null): CallAbout {
  return named !== null && named.host_id === (host?.host_id ?? LOCAL_HOST) ? { change: named.change } : {}
}

/** The id of the change that a call names, if it can be one. */
export function changeOf({ change }: Readonly<Record<string, unknown>>): string | null {
  return typeof change === 'string' && /^chg_[0-9a-z]{1,60}$/.test(change) ? change : null
}
