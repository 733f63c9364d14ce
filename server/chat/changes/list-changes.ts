import type { Change, changes } from '../../../contract/changes.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import type { ChangeTable } from '../../db/rows/change-tables.ts'
import type { Reader } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { idAt } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import { KEEP_DAYS } from './keep-changes.ts'

/** After every id of a change, in any order of characters that a database may have. */
const END = idAt('change', 32 ** 10 - 1)

type Row = Omit<ChangeTable, 'before' | 'diff'> & {
  readonly username: string
  readonly display_name: string
  /** The newest later change of the same thing that still stands. */
  readonly later: string | null
}

/** Newest first; `all`: everybody's. @throws {AppError} invalid_request for an invalid cursor */
export async function listChanges(
  reader: Reader,
  caller: Caller,
  all: boolean,
  { user_id, host, tool, from, to, limit, cursor }: HandlerInput<(typeof changes)['listChanges']>['query'],
) {
  if (cursor !== undefined && !/^chg_[0-9a-z]{28}$/.test(cursor))
    throw new AppError('invalid_request', say`The cursor is not one that this list gave.`, {
      errors: [{ path: 'cursor', message: say`take it from next_cursor` }],
    })
  // Ids sort by time.
  const before = to === undefined ? END : idAt('change', Date.parse(to) + 1)
  const dot = tool?.indexOf('.') ?? -1
  const module = dot < 0 ? tool : tool!.slice(0, dot)
  const rows: Row[] = await seen(reader, all ? null : caller.user_id)
    .where('change.change_id', '<', cursor !== undefined && cursor < before ? cursor : before)
    .$if(from !== undefined, (some) => some.where('change.change_id', '>=', idAt('change', Date.parse(from!))))
    .$if(user_id !== undefined, (some) => some.where('change.user_id', '=', storable(user_id!)))
    .$if(host !== undefined, (some) => some.where('change.host_name', '=', storable(host!)))
    .$if(module !== undefined, (some) => some.where('change.module', '=', storable(module!)))
    .$if(dot >= 0, (some) => some.where('change.tool', '=', storable(tool!.slice(dot + 1))))
    .orderBy('change.change_id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  return {
    items: shown.map((row) => toChange(row, caller)),
    next_cursor: rows.length > limit ? shown.at(-1)!.change_id : null,
    all,
    keep_days: KEEP_DAYS,
  }
}

/** @throws {AppError} not_found */
export async function readChange(reader: Reader, caller: Caller, all: boolean, change_id: string) {
  const row = await seen(reader, all ? null : caller.user_id)
    .select(['change.diff'])
    .where('change.change_id', '=', storable(change_id))
    .executeTakeFirst()
  if (row === undefined) throw new AppError('not_found', say`There is no such change.`)
  // Whoever reads the audit log sees that something was changed, never what is in another user's files.
  const withheld = row.user_id !== caller.user_id
  return { change: toChange(row, caller), diff: withheld ? null : row.diff, withheld }
}

function seen(reader: Reader, user_id: string | null) {
  return reader
    .selectFrom('change')
    .innerJoin('user', 'user.user_id', 'change.user_id')
    .select([
      'change.change_id',
      'change.user_id',
      'change.conversation_id',
      'change.tool_call_id',
      'change.host',
      'change.host_name',
      'change.module',
      'change.tool',
      'change.title',
      'change.target',
      'change.name',
      'change.before_hash',
      'change.after_hash',
      'change.undo_tool',
      'change.undoes',
      'change.undone_by',
      'change.at',
      'user.username',
      'user.display_name',
    ])
    .select((of) =>
      of
        .selectFrom('change as later')
        .select((newer) => newer.fn.max('later.change_id').as('id'))
        .whereRef('later.host', '=', 'change.host')
        .whereRef('later.target', '=', 'change.target')
        .whereRef('later.module', '=', 'change.module')
        .whereRef('later.change_id', '>', 'change.change_id')
        .where('later.undoes', 'is', null)
        .where('later.undone_by', 'is', null)
        .as('later'),
    )
    .$if(user_id !== null, (own) => own.where('change.user_id', '=', user_id!))
}

function toChange(row: Row, caller: Caller): Change {
  const state = stateOf(row)
  const own = row.user_id === caller.user_id
  const { change_id, user_id, username, display_name, host_name: host, module, tool, title, tool_call_id, name } = row
  return {
    change_id,
    at: iso(row.at),
    user: { user_id, username, display_name },
    host,
    module,
    tool,
    title,
    tool_call_id,
    conversation_id: own ? row.conversation_id : null,
    name,
    before_hash: row.before_hash,
    after_hash: row.after_hash,
    state,
    may_undo: own && state === 'undoable' && caller.kind === 'session',
    is_undo: row.undoes !== null,
  }
}

function stateOf({ undone_by, undo_tool, later }: Pick<Row, 'undone_by' | 'undo_tool' | 'later'>): Change['state'] {
  if (undone_by !== null) return 'undone'
  if (undo_tool === null) return 'final'
  return later === null ? 'undoable' : 'superseded'
}
