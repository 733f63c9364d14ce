import { z } from 'zod'
import { tool } from '../../tool.ts'
import { openDatabase } from '../connections/open-database.ts'
import type { SqlSettings } from '../connections/sql-settings.ts'
import { OutcomeUnknown } from '../sql-database.ts'
import { changingStatement } from '../statement/judge-statement.ts'
import { rowsTable } from './rows-table.ts'
import { databaseField, parametersField, sqlField } from './sql-fields.ts'

/** What `execute` takes, and its preview. */
export const EXECUTE_INPUT = z.strictObject({ database: databaseField, sql: sqlField, parameters: parametersField })

/** Runs one changing statement in a transaction. */
export const executeTool = (settings: SqlSettings) =>
  tool({
    name: 'execute',
    title: 'Change a database',
    description:
      'Runs one SQL statement that changes data or structure (INSERT, UPDATE, DELETE, CREATE, ALTER, DROP …) in a transaction of its own, and says how many rows it ' +
      'changed. It is rolled back when it fails or is cancelled; MySQL and MariaDB cannot roll back changes of structure. Values go into "parameters".',
    effect: 'destructive',
    input: EXECUTE_INPUT,
    preview: 'preview_execute',
    summary: 'Changes[ the database {database}] by: {sql}',
    async run({ database: name, sql, parameters }, { signal }) {
      const database = await openDatabase(name, settings)
      const statement = changingStatement(sql, database.dialect)
      try {
        const { affected, returned } = await database.execute(statement, parameters, signal)
        return {
          text: affected === null ? `Done in ${database.name}.` : `Done in ${database.name}: ${affected} rows changed.`,
          tables: returned === null || returned.columns.length === 0 ? [] : [rowsTable('Returned rows', returned)],
        }
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error
        return { text: `${error.message} Look at the data before you do it again.`, failed: true }
      }
    },
  })
