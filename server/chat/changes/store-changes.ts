import { LOCAL_HOST } from '../../../contract/host-values.ts'
import type { Trx } from '../../db/database.ts'
import type { ChangeTable } from '../../db/rows/change-tables.ts'
import type { RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import { insertRows } from '../../db/statement.ts'
import { newId } from '../../kernel/id.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import { textOf, unifiedDiff } from '../../kernel/text/unified-diff.ts'
import type { Secrets } from '../ports/secrets.ts'
import { CHANGE_BYTES, type Tool, type ToolChange, type ToolResult } from '../ports/tools.ts'
import type { StoredTarget } from '../targets/call-targets.ts'
import type { HostEnd } from '../targets/fan-out.ts'
import { changeOf, type NamedChange } from './about-change.ts'

/** Characters of a diff that are kept. */
const DIFF_LENGTH = 200_000

/** The rows of what a call has changed; `undone`: the change that it took back. */
export interface CallChanges {
  readonly rows: readonly ChangeTable[]
  readonly undone: string | null
}

/** A call that has run, and the change that it was to take back. */
export interface RanCall {
  readonly tool: Tool
  readonly input: Record<string, unknown>
  readonly named: NamedChange | null
  /** How it ended on each machine that it was about; empty for one that is about none. */
  readonly ends: readonly HostEnd[]
}

/** A change, and the machine on which it was made. */
export interface ChangeThere extends ToolChange {
  readonly host: StoredTarget
}

/** What is kept of what a call says it changed, with the files that it made: nothing where nobody agreed to believe it. */
export function changesOf(
  { tool, named, ends }: RanCall,
  { changes: said = [] }: Pick<ToolResult, 'changes'>,
  made: readonly ToolChange[],
): readonly ChangeThere[] {
  const believed = tool.builtin || tool.undo !== undefined || named !== null
  if (!believed) return []
  const here = ends.length > 0 ? [] : said
  const there = ends.flatMap(({ host, result }) => (result?.changes ?? []).map((change) => ({ ...change, host })))
  const files = tool.undo === undefined ? [] : made
  return [...there, ...[...here, ...files].map((change) => ({ ...change, host: LOCAL }))]
}

const LOCAL: StoredTarget = { host_id: LOCAL_HOST, name: LOCAL_HOST }

export function changeRows(
  run: RunTable,
  { tool_call_id, module }: ToolCallTable,
  { tool, input, named }: RanCall,
  changes: readonly ChangeThere[],
  secrets: Secrets,
): CallChanges {
  const undone = named !== null && changes.length > 0 ? changeOf(input) : null
  const rows = changes.map((change): ChangeTable => {
    const diff = diffOf(change)
    const shown = (text: string) => storable(visible(secrets.mask(module, text)))
    return {
      change_id: newId('change'),
      user_id: run.user_id,
      conversation_id: run.conversation_id,
      tool_call_id,
      host: change.host.host_id,
      host_name: change.host.name,
      module,
      tool: tool.name,
      title: tool.title,
      target: storable(change.target),
      name: shown(change.name).replaceAll('\n', ' '),
      before_hash: change.before_hash,
      after_hash: change.after_hash,
      before: change.before,
      diff: diff === null ? null : cut(shown(diff), DIFF_LENGTH),
      // What took a change back is not taken back itself: the change is made again.
      undo_tool: undone === null && isKept(change) ? (tool.undo ?? null) : null,
      undoes: undone,
      undone_by: null,
      at: Date.now(),
    }
  })
  return { rows, undone }
}

/** Stores them in the transaction that ends the call. */
export async function storeChanges(trx: Trx, { rows, undone }: CallChanges, call: ToolCallTable): Promise<void> {
  if (rows.length > 0) await insertRows(trx, 'change', rows)
  if (undone !== null)
    await trx
      .updateTable('change')
      .set({ undone_by: call.tool_call_id })
      .where('change_id', '=', undone)
      .where('undone_by', 'is', null)
      .execute()
}

function isKept({ before, before_hash }: ToolChange): boolean {
  return before_hash === null || before !== null
}

/** Null where one side is not kept, or not text. */
function diffOf({ before, after, before_hash, after_hash }: ToolChange): string | null {
  const side = (kept: string | null, hash: string | null): string | null => {
    if (hash === null) return ''
    if (kept === null || kept.length > CHANGE_BYTES * 1.4) return null
    return textOf(Buffer.from(kept, 'base64'))
  }
  const [old, now] = [side(before, before_hash), side(after, after_hash)]
  return old === null || now === null ? null : unifiedDiff(old, now)
}
