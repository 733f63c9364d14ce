import { createHash } from 'node:crypto'
import { cut } from '../../../server/kernel/text/plain-text.ts'
import { tool } from '../../tool.ts'
import { openDatabase } from '../connections/open-database.ts'
import type { SqlSettings } from '../connections/sql-settings.ts'
import type { SqlRows } from '../sql-database.ts'
import { triedStatement, type TriedStatement } from '../statement/judge-statement.ts'
import { EXECUTE_INPUT } from './execute.ts'

const LINE_LIMIT = 2000

/** Which rows `execute` would change: it is tried in a transaction that is rolled back. */
export const previewExecuteTool = (settings: SqlSettings) =>
  tool({
    name: 'preview_execute',
    title: 'Preview of a change',
    description: 'Which rows "execute" would change, tried in a transaction that is rolled back. Changes nothing.',
    effect: 'read',
    input: EXECUTE_INPUT,
    async run({ database: name, sql, parameters }, { signal }) {
      const database = await openDatabase(name, settings)
      const tried = triedStatement(sql, database.dialect)
      const { affected, returned } = await database.attempt(tried.statement, parameters, signal)
      const count = affected ?? 0
      const lines = returned === null ? [] : linesOf(tried.kind, returned)
      const text = lines.length === 0 ? `${count} rows` : lines.join('\n')
      return {
        text: `${count} rows.`,
        preview: {
          // Values of the clock and of sequences differ at every try; what is deleted does not.
          state: `${tried.kind} ${count}${tried.kind === 'delete' ? ` ${hash(text)}` : ''}`,
          parts: [
            { kind: tried.kind === 'update' ? 'list' : 'diff', title: titleOf(database.name, tried, count), text },
          ],
        },
      }
    },
  })

function titleOf(database: string, { kind }: TriedStatement, count: number): string {
  return `${database}: ${kind.toUpperCase()}, ${count} rows${kind === 'update' && count > 0 ? ', as they would be afterwards' : ''}`
}

/** A line for each row, as JSON by column. */
function linesOf(kind: TriedStatement['kind'], { columns, rows, more }: SqlRows): string[] {
  const sign = { insert: '+ ', update: '', delete: '- ' }[kind]
  const lines = rows.map((row) => {
    const values = Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]))
    return `${sign}${cut(JSON.stringify(values), LINE_LIMIT)}`
  })
  return more ? [...lines, '…'] : lines
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
