import { StorageAway } from '../../kernel/storage-failure.ts'

/**
 * Codes of PostgreSQL that say that the database is away, or that somebody else is in the way for too long: 08
 * connection, 25P03 and 25P04 idle in a transaction or a transaction too long, 53300 too many connections, 55P03
 * lock_timeout, 57014 statement_timeout, 57P01–57P05 stopping, starting or ending this connection.
 */
const SQLSTATE = /^(08...|25P0[34]|53300|55P03|57014|57P0[1-5])$/
/** Of the network. */
const SYSTEM_CODE = /^E(CONN(RESET|REFUSED|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)(UNREACH|DOWN)|NOTFOUND|AI_AGAIN|MFILE)$/
/** What `pg` says itself, without a code. */
const OWN = /^Connection terminated|^Client has encountered a connection error|^Client was closed|timeout exceeded/

/** An error of a connection: StorageAway if it is about the database and not about the statement, else unchanged. */
export function databaseFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageAway) return error
  const { code = '' } = error as { code?: unknown }
  const away = typeof code === 'string' && (SQLSTATE.test(code) || SYSTEM_CODE.test(code))
  return away || OWN.test(error.message) ? new StorageAway('The database does not answer.', { cause: error }) : error
}

/** Whether no further connection can be had: PostgreSQL has no more, or is not there. Those that exist may go on. */
export function refusesConnections(error: unknown): boolean {
  const { code = '' } = error as { code?: unknown }
  return typeof code === 'string' && /^(53300|57P03|08...|ECONNREFUSED|ECONNRESET)$/.test(code)
}
