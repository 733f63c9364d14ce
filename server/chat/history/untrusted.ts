import type { Untrusted } from '../../../contract/grants.ts'
import type { ConversationTable } from '../../db/rows/chat-tables.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { change, query } from '../../db/statement.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import type { NewEvent } from './activity.ts'
import type { Tool } from '../ports/tools.ts'

/** Where a conversation got what others may have written; JSON in `untrusted_by`. */
export type Source = Omit<Untrusted, 'at'>

/**
 * Built-in tools whose results hold nothing that others wrote: figures of this machine; what was written, which the call
 * itself said; and what a command says, which a person or a rule has let through. Everything else may, whatever a module
 * says of itself.
 */
const CLEAN: ReadonlySet<string> = new Set([
  'system.host',
  'system.cpu',
  'system.memory',
  'system.disks',
  'system.run_command',
  'system.signal_process',
  'files.write',
  'files.undo_write',
])

export function readsUntrusted(
  { builtin, module, name, effect }: Pick<Tool, 'builtin' | 'module' | 'name' | 'effect'>,
  remote: boolean,
): boolean {
  // What is a figure of this machine is what another one says of itself.
  return !builtin || !CLEAN.has(`${module}.${name}`) || (remote && effect === 'read')
}

/**
 * Marks a conversation for good; the first source stays. In the transaction that stores what comes from it. Returns the
 * event that tells of it, if it was not marked yet.
 */
export async function markUntrusted(trx: Trx, conversation_id: string, { kind, name }: Source): Promise<NewEvent[]> {
  const by = JSON.stringify({ kind, name: storable(cut(visible(name), 300)) } satisfies Source)
  const marked = await MARK.run(trx, { conversation_id, by, now: Date.now() })
  return marked > 0 ? [{ type: 'conversation.updated', conversation_id, data: { untrusted: true } }] : []
}

const MARK = change((db, is: { conversation_id: string; by: string; now: number }) =>
  db
    .updateTable('conversation')
    .set({ untrusted_at: is.now, untrusted_by: is.by })
    .where('conversation_id', '=', is.conversation_id)
    .where('untrusted_at', 'is', null),
)

type Marked = Pick<ConversationTable, 'untrusted_at' | 'untrusted_by'>

/** The mark of a conversation as it is shown; null without one. */
export function untrustedOf({ untrusted_at: at, untrusted_by: by }: Marked): Untrusted | null {
  return at === null ? null : { ...(JSON.parse(by ?? '{"kind":"tool","name":""}') as Source), at: iso(Number(at)) }
}

/** The same, read now. */
export async function readMark(reader: Reader, conversation_id: string): Promise<Untrusted | null> {
  const row = await MARKED.first(reader, { conversation_id })
  return row === undefined ? null : untrustedOf(row)
}

const MARKED = query((db, is: { conversation_id: string }) =>
  db
    .selectFrom('conversation')
    .select(['untrusted_at', 'untrusted_by'])
    .where('conversation_id', '=', is.conversation_id),
)
