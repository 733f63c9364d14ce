import type { DatabaseConnection, Dialect, Driver } from 'kysely'

/**
 * A dialect that reports every statement, `commit` included, to `observe` before it runs; an exception there fails the
 * statement. Fault tests use it to fail the n-th write. It costs nothing when it isn't used, because it isn't installed
 * then.
 */
export function observed(dialect: Dialect, observe: (sql: string) => void): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => observedDriver(dialect.createDriver(), observe),
  }
}

function observedDriver(driver: Driver, observe: (sql: string) => void): Driver {
  const wrapped = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const inner = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const unwrap = (connection: DatabaseConnection) => inner.get(connection) ?? connection
  return {
    init: (options) => driver.init(options),
    acquireConnection: async (options) => {
      const connection = await driver.acquireConnection(options)
      let outer = wrapped.get(connection)
      if (!outer) {
        outer = {
          executeQuery: (query, executeOptions) => {
            observe(query.sql)
            return connection.executeQuery(query, executeOptions)
          },
          streamQuery: (query, chunkSize, streamOptions) => connection.streamQuery(query, chunkSize, streamOptions),
        }
        wrapped.set(connection, outer)
        inner.set(outer, connection)
      }
      return outer
    },
    beginTransaction: (connection, settings) => driver.beginTransaction(unwrap(connection), settings),
    commitTransaction: async (connection) => {
      observe('commit')
      await driver.commitTransaction(unwrap(connection))
    },
    rollbackTransaction: (connection) => driver.rollbackTransaction(unwrap(connection)),
    releaseConnection: (connection, options) => driver.releaseConnection(unwrap(connection), options),
    destroy: (options) => driver.destroy(options),
  }
}
