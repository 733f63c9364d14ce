import { z } from 'zod'
import { tool } from '../../tool.ts'
import { openDatabase } from '../connections/open-database.ts'
import type { SqlSettings } from '../connections/sql-settings.ts'
import { rowsTable } from './rows-table.ts'
import { databaseField } from './sql-fields.ts'

/** Describes what is in a database. */
export const schemaTool = (settings: SqlSettings) =>
  tool({
    name: 'schema',
    title: 'Schema of a database',
    description:
      'Tables and views with estimated rows, columns with types, indexes and foreign keys. "filter" is part of a table name (with its schema: sales.orders). Without it, ' +
      'large schemas are cut: look for the table first, then filter.',
    effect: 'read',
    input: z.strictObject({ database: databaseField, filter: z.string().max(200).default('') }),
    async run({ database: name, filter }, { signal }) {
      const database = await openDatabase(name, settings)
      const { tables, columns, indexes, foreign_keys } = await database.schema(filter, signal)
      const cut = [tables, columns, indexes, foreign_keys].some((part) => part.more)
      const such = filter === '' ? '' : ` with ${JSON.stringify(filter)} in the name`
      return {
        text: `${database.name}: ${tables.rows.length} tables and views${such}.${cut ? ' Not everything is shown: give a filter.' : ''}`,
        tables: [
          rowsTable('Tables', tables),
          rowsTable('Columns', columns),
          rowsTable('Indexes', indexes),
          rowsTable('Foreign keys', foreign_keys),
        ].filter((table) => table.rows.length > 0),
      }
    },
  })
