import type { Table } from '../../../contract/chat.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import {
  RESULT_FILE_BYTES,
  RESULT_FILE_LIMIT,
  RESULT_TEXT_LIMIT,
  TABLE_ROW_LIMIT,
  type ToolResult,
} from '../ports/tools.ts'
import { fairShares } from './fair-shares.ts'
import type { HostEnd } from './fan-out.ts'

/** Characters in the cells of one result together. */
const CELLS = 2_000_000
const TABLES = 10
/** Characters of what a machine said went wrong, in the table of machines. */
const PROBLEM = 500
/** Of the text for the model: kept for the lines between the machines' parts. */
const AROUND = 2000

const STATUS: Record<HostEnd['status'], Sentence> = {
  done: say`done`,
  failed: say`failed`,
  cancelled: say`cancelled`,
  unknown: say`unknown`,
  skipped: say`not begun`,
}
const ORDER: readonly HostEnd['status'][] = ['unknown', 'failed', 'cancelled', 'skipped', 'done']

/**
 * One result of a call on several machines. Tables of the same kind become one with the machine in the first column, whose
 * rows are shared fairly; a table of the machines comes first, those with a problem on top. Texts are bounded together.
 */
export function mergeResults(ends: readonly HostEnd[], reads: boolean, language: string): ToolResult {
  const sorted = ends.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
  const codes = new Set(ends.map(({ result }) => result?.exit_code))
  const exit_code = codes.size === 1 ? [...codes][0] : undefined
  const ignored = ends.find(({ result }) => result?.ignored !== undefined)?.result?.ignored
  return {
    status: statusOf(ends, reads),
    text: textOf(sorted, language),
    tables: [machinesTable(sorted, language), ...mergedTables(ends, language)],
    files: filesOf(ends),
    ...(exit_code !== undefined && { exit_code }),
    ...(ignored !== undefined && { ignored }),
  }
}

/** A call that only reads is done where one machine answered; one that changes something, where all did. */
function statusOf(ends: readonly HostEnd[], reads: boolean): ToolResult['status'] {
  const has = (status: HostEnd['status']) => ends.some((end) => end.status === status)
  if (has('unknown')) return 'unknown'
  if (reads) return has('cancelled') || has('skipped') ? 'cancelled' : has('done') ? 'done' : 'failed'
  return ends.every(({ status }) => status === 'done') ? 'done' : has('failed') ? 'failed' : 'cancelled'
}

function textOf(ends: readonly HostEnd[], language: string): string {
  const done = ends.filter(({ status }) => status === 'done').length
  const head =
    done === ends.length
      ? say`Done on all ${ends.length} machines.`
      : say`Done on ${done} of ${ends.length} machines. First those where it was not.`
  const texts = ends.map(({ result }) => result?.text ?? '')
  const shares = fairShares(
    texts.map((text) => text.length),
    RESULT_TEXT_LIMIT - AROUND - ends.length * 90,
  )
  const parts = ends.map(({ host, status }, i) => {
    const text = texts[i]!
    const kept = text.length <= shares[i]! ? text : `${cut(text, Math.max(0, shares[i]! - 1))}…`
    return `[${host.name}] ${STATUS[status].in(language)}${kept === '' ? '' : `\n${kept}`}`
  })
  return [head.in(language), ...parts].join('\n\n')
}

function machinesTable(ends: readonly HostEnd[], language: string): Table {
  const column = (key: string, label: Sentence, type: Table['columns'][number]['type'] = 'text') => ({
    key,
    label: label.in(language),
    type,
  })
  return {
    title: say`Machines`.in(language),
    columns: [
      column('host', say`Machine`),
      column('status', say`Status`),
      column('time', say`Time`, 'duration'),
      column('problem', say`Problem`),
    ],
    rows: ends.map(({ host, status, started_at, ended_at, result }) => ({
      host: host.name,
      status: STATUS[status].in(language),
      time: started_at === null || ended_at === null ? null : ended_at - started_at,
      problem: status === 'done' || result === null ? null : problemOf(result),
    })),
    total_rows: ends.length,
  }
}

function problemOf({ text }: ToolResult): string {
  return storable(cut(visible(cut(text.trim(), PROBLEM)), PROBLEM))
}

interface Piece {
  readonly host: string
  readonly table: Table
}

function mergedTables(ends: readonly HostEnd[], language: string): Table[] {
  const pieces = ends.flatMap(({ host, result }) =>
    (result?.tables ?? []).map((table): Piece => ({ host: host.name, table })),
  )
  const kinds = Map.groupBy(pieces, ({ table }) => JSON.stringify([table.title, table.columns.map(({ key }) => key)]))
  return [...kinds.values()].slice(0, TABLES - 1).map((same) => mergedTable(same, language))
}

/** Without the chart: one of several machines at once says little. */
function mergedTable(pieces: readonly Piece[], language: string): Table {
  const { title, columns } = pieces[0]!.table
  const key = columns.some((column) => column.key === 'host') ? 'machine' : 'host'
  const shares = fairShares(
    pieces.map(({ table }) => table.rows.length),
    TABLE_ROW_LIMIT,
  )
  return {
    title,
    columns: [
      { key, label: say`Machine`.in(language), type: 'text' },
      ...columns.filter((column) => column.key !== key),
    ],
    rows: pieces.flatMap(({ host, table }, i) =>
      table.rows.slice(0, shares[i]).map((row) => ({ ...row, [key]: host })),
    ),
    total_rows: pieces.reduce((sum, { table }) => sum + table.total_rows, 0),
  }
}

/** What is kept of one machine's result while others are waited for: hundreds may answer with millions of characters. */
export function boundedResult(result: ToolResult, machines: number): ToolResult {
  let left = Math.floor(CELLS / machines)
  const tables = result.tables.map((table) => {
    const rows = table.rows.filter((row) => {
      left -= Object.values(row).reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0)
      return left >= 0
    })
    return { ...table, rows }
  })
  return { ...result, tables }
}

function filesOf(ends: readonly HostEnd[]): ToolResult['files'] {
  let left = RESULT_FILE_BYTES
  return ends
    .flatMap(({ host, result }) =>
      (result?.files ?? []).map((file) => ({ ...file, name: `${host.name}-${file.name}` })),
    )
    .slice(0, RESULT_FILE_LIMIT)
    .filter(({ data }) => (left -= data.length) >= 0)
}
