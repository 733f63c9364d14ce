/**
 * How long a statement, a wait for a lock and a silence within a transaction may last, in milliseconds. PostgreSQL holds
 * them: a process that is frozen or cut off cannot. A transaction that says nothing for `idle` is ended together with
 * its connection, so its locks go; those who wait for them wait longer than that, and are answered.
 */
const LIMITS = { idle: 5000, lock: 8000, statement: 30_000 } as const
/** After so many milliseconds without an answer the connection itself is given up: nothing comes through it any more. */
export const SILENT = LIMITS.statement + 5000
/** A request waits so many milliseconds for a connection, and a new connection may take as long. */
export const ACQUIRE = 10_000
/** A connection that is closed waits so many milliseconds for the other end to agree. */
export const GOODBYE = 2000
/** Idle time of a transaction that takes its time (migrations, taking and loading a backup), in milliseconds. */
const PATIENT_IDLE = 600_000

/**
 * `begin` with the limits, in the same round trip. They hold for the transaction and not for the session, so that they
 * also hold behind a pooler that gives each transaction another session.
 */
export const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${LIMITS.idle}; set local lock_timeout = ${LIMITS.lock}; set local statement_timeout = ${LIMITS.statement}`
/** Lifts them for the rest of the transaction. */
export const UNHURRIED = `set local idle_in_transaction_session_timeout = ${PATIENT_IDLE}; set local lock_timeout = 0; set local statement_timeout = 0`

/** PostgreSQL notices within 15 seconds that nobody is at the other end. */
const NOTICED = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 10_000,
}
/** Settings of a session: of the pool (the limits also hold for single statements), and of all other connections. */
export const POOL_SESSION = options({
  ...NOTICED,
  idle_in_transaction_session_timeout: LIMITS.idle,
  lock_timeout: LIMITS.lock,
  statement_timeout: LIMITS.statement,
})
export const LASTING_SESSION = options(NOTICED)

function options(settings: Readonly<Record<string, number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}
