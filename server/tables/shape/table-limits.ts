/** Limits for reading tables. */
export interface TableLimits {
  /** Bytes of all cached forms. */
  readonly cache_size: number
  /** Milliseconds for reading the largest file for the first time, for a page and for a query. */
  readonly prepare_ms: number
  readonly page_ms: number
  readonly query_ms: number
  /** Milliseconds that a request waits for its turn before it is told that other tables are being read. */
  readonly wait_ms: number
  /** MiB of one worker, and milliseconds without work after which it ends. */
  readonly memory: number
  readonly idle_ms: number
}

export const TABLE_LIMITS: TableLimits = {
  cache_size: 4 * 1024 ** 3,
  prepare_ms: 600_000,
  page_ms: 30_000,
  query_ms: 60_000,
  wait_ms: 20_000,
  memory: 1536,
  idle_ms: 60_000,
}
