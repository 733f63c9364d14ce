import { z } from 'zod'
import { tool } from '../../tool.ts'
import { openDatabase } from '../connections/open-database.ts'
import type { SqlSettings } from '../connections/sql-settings.ts'
import { explainableStatement } from '../statement/judge-statement.ts'
import { rowsTable } from './rows-table.ts'
import { databaseField, parametersField, sqlField } from './sql-fields.ts'

/** Shows how a statement would be run, without running it. */
export const explainTool = (settings: SqlSettings) =>
  tool({
    name: 'explain',
    title: 'Explain a statement',
    description:
      'The plan by which the database would run a statement: which indexes it uses, what it estimates. The statement is not run, so this is safe for changing statements ' +
      'too. Use it to find out why a query is slow.',
    effect: 'read',
    input: z.strictObject({ database: databaseField, sql: sqlField, parameters: parametersField }),
    async run({ database: name, sql, parameters }, { signal }) {
      const database = await openDatabase(name, settings)
      const result = await database.explain(explainableStatement(sql, database.dialect), parameters, signal)
      return { text: 'The statement was not run.', tables: [rowsTable('Plan', result)] }
    },
  })
