import { HOST_ARGUMENT, LOCAL_HOST } from '../../../contract/host-values.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Reader } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { Tool, Tools } from '../ports/tools.ts'
import { readChange } from './list-changes.ts'

/** What is to be said, and where: null is a new conversation. */
export interface UndoMessage {
  readonly message: string
  readonly conversation_id: string | null
}

/**
 * The message that takes a change back: a call typed by hand, in the conversation in which it was made while there is
 * one, else in a new one (null). @throws {AppError} not_found, change_not_undoable
 */
export async function undoMessage(
  reader: Reader,
  tools: Tools,
  caller: Caller,
  change_id: string,
): Promise<UndoMessage> {
  const { change } = await readChange(reader, caller, false, change_id)
  if (change.state === 'undone') throw refused(say`This change was taken back already.`)
  if (change.state === 'superseded')
    throw refused(say`${change.name} was changed again since: take back that change first.`)
  const row = await reader
    .selectFrom('change')
    .leftJoin('conversation', 'conversation.conversation_id', 'change.conversation_id')
    .leftJoin('host', 'host.host_id', 'change.host')
    .select(['change.undo_tool', 'change.host', 'conversation.conversation_id', 'conversation.deleted_at'])
    .select('host.name as host_name')
    .where('change_id', '=', change_id)
    .executeTakeFirst()
  if (change.state === 'final' || row?.undo_tool == null) throw refused(say`Nothing takes this change back.`)
  const tool = `${change.module}.${row.undo_tool}`
  const found = tools.find(change.module, row.undo_tool)
  if (found === undefined)
    throw refused(say`The tool ${tool} is not there now, which would take it back.`)
  // It may be called something else by now, and another machine may be called like that.
  if (row.host !== LOCAL_HOST && row.host_name === null)
    throw refused(say`The machine “${change.host}” is not there any more.`)
  const args = { change: change_id, ...(takesHost(found) && { [HOST_ARGUMENT]: row.host_name ?? LOCAL_HOST }) }
  return {
    message: `/${tool} ${JSON.stringify(args)}`,
    conversation_id: row.deleted_at === null ? row.conversation_id : null,
  }
}

/** Where there are several machines, a call of it must name one. */
function takesHost({ bare }: Tool): boolean {
  return bare !== undefined
}

function refused(why: ReturnType<typeof say>): AppError {
  return new AppError('change_not_undoable', why)
}
