import type { ToolCallHostTable } from '../../db/rows/host-tables.ts'
import type { Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'

type Ended = 'done' | 'failed' | 'cancelled' | 'unknown'
/** How a call stands on one of the machines where it has begun. */
type Row = Pick<ToolCallHostTable, 'host_id' | 'name' | 'status'>

/**
 * How a call ends that changes something and has no driver any more, by the machines on which it had begun: it is begun on no
 * further one. `machines`: on how many it was to run.
 */
export function cutOff(rows: readonly Row[], machines: number): { status: Ended; told: readonly Sentence[] } {
  const [lost, ended] = [rows.filter(isLost), rows.filter((row) => !isLost(row))]
  const rest = machines - rows.length
  return {
    status: statusOf(rows, machines),
    told: [
      ...(lost.length > 0 ? [say`How it ended is not known on: ${namesOf(lost)}.`] : []),
      ...(ended.length > 0 ? [say`It had ended on: ${namesOf(ended)}.`] : []),
      ...(rest > 0 ? [say`It never began on the others (${rest}).`] : []),
    ],
  }
}

/** As a call on several machines that changes something ends: done where all are. */
export function statusOf(rows: readonly Row[], machines: number): Ended {
  if (rows.some(isLost)) return 'unknown'
  if (rows.length === machines && rows.every(({ status }) => status === 'done')) return 'done'
  return rows.some(({ status }) => status === 'failed') ? 'failed' : 'cancelled'
}

/** Of the machines on which a call that changes something has begun, by name. */
export async function begunOn(reader: Reader, tool_call_id: string): Promise<readonly Row[]> {
  return BEGUN.all(reader, { tool_call_id })
}

function isLost({ status }: Row): boolean {
  return status === 'running' || status === 'unknown'
}

function namesOf(rows: readonly Row[]): Sentence {
  return quoted(rows.map(({ name }) => name).join(', '))
}

const BEGUN = query((db, is: { tool_call_id: string }) =>
  db
    .selectFrom('tool_call_host')
    .select(['host_id', 'name', 'status'])
    .where('tool_call_id', '=', is.tool_call_id)
    .where('started_at', 'is not', null)
    .orderBy('name'),
)
