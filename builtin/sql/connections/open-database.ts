import type { SqlDatabase } from '../sql-database.ts'
import { serverAddress } from './server-address.ts'
import type { SqlSettings } from './sql-settings.ts'

/** The database with this name, or the only one. Does not connect yet. @throws {Error} with a sentence */
export async function openDatabase(name: string | undefined, settings: SqlSettings): Promise<SqlDatabase> {
  const names = [...settings.connections.keys()]
  if (names.length === 0)
    throw new Error('No database is set up. An administrator adds one in the settings of the SQL module.')
  if (name === undefined && names.length > 1) throw new Error(`Say which database: ${names.join(', ')}.`)
  const chosen = name ?? names[0]!
  const address = settings.connections.get(chosen)
  if (address === undefined)
    throw new Error(`There is no database ${JSON.stringify(chosen)}. There is: ${names.join(', ')}.`)
  const password = settings.passwords.get(chosen)
  const kind = /^([a-z]+):/i.exec(address)?.[1]?.toLowerCase()
  switch (kind) {
    case 'postgres':
    case 'postgresql': {
      const { postgresDatabase } = await import('../postgres/postgres-database.ts')
      return postgresDatabase(serverAddress(chosen, address, password, 5432), settings.timeoutMs)
    }
    case 'mysql':
    case 'mariadb': {
      const { mysqlDatabase } = await import('../mysql/mysql-database.ts')
      return mysqlDatabase(serverAddress(chosen, address, password, 3306), settings.timeoutMs)
    }
    case 'sqlite': {
      const { sqliteDatabase } = await import('../sqlite/sqlite-database.ts')
      return sqliteDatabase(chosen, address.slice('sqlite:'.length), settings)
    }
    default:
      throw new Error(
        `The database ${chosen} in the setting "Databases" is of no known kind: its address must begin with postgres:, mysql: or sqlite:.`,
      )
  }
}
