import type pg from 'pg'

/** How values of PostgreSQL are read on our own connections, and on nobody else's: bigint columns as numbers. */
export function postgresTypes({ TypeOverrides }: typeof pg): InstanceType<typeof pg.TypeOverrides> {
  const types = new TypeOverrides()
  // They hold epoch milliseconds and counters: all below 2^53.
  types.setTypeParser(20, Number)
  return types
}
