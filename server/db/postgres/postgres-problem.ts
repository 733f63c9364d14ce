import { OperatorProblem } from '../../kernel/operator-problem.ts'

/**
 * Errors that PostgreSQL or the network raises before a statement is accepted, by SQLSTATE or network code → what to
 * do.
 */
const REASONS: Readonly<Record<string, string>> = {
  '28P01': 'it refuses the password. Correct it in REEVE_DATABASE_URL',
  '28000': 'it does not let this user in. Look at pg_hba.conf, or correct REEVE_DATABASE_URL',
  '3D000': 'there is no database of this name. Create it (createdb), or correct REEVE_DATABASE_URL',
  '53300': 'it takes no more connections. Raise its max_connections',
  '57P03': 'it is starting or stopping. Start Reeve again when it is ready',
  ECONNREFUSED: 'nothing listens there. Start it, or correct REEVE_DATABASE_URL',
  ENOTFOUND: 'there is no host of this name. Correct REEVE_DATABASE_URL',
  EAI_AGAIN:
    'the name of the host cannot be looked up now. Look at the DNS of this machine, or correct REEVE_DATABASE_URL',
  EHOSTUNREACH: 'no way leads to this host. Look at the network, or correct REEVE_DATABASE_URL',
  ENETUNREACH: 'no way leads to this host. Look at the network, or correct REEVE_DATABASE_URL',
  ETIMEDOUT: 'it does not answer. Look at the network and its firewall, or correct REEVE_DATABASE_URL',
  ECONNRESET: 'it ends the connection. Look whether PostgreSQL is what listens there',
}

/** Why the first connection failed, without the password of `url`. */
export function postgresProblem(url: string, error: unknown): OperatorProblem {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  const { code = '', message } = first as NodeJS.ErrnoException
  const reason =
    REASONS[code] ?? (/timeout/i.test(message) ? REASONS['ETIMEDOUT']! : `${message}. Correct REEVE_DATABASE_URL`)
  return new OperatorProblem(`PostgreSQL (${placeOf(url)}) cannot be used: ${reason}.`, { cause: error })
}

function placeOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'REEVE_DATABASE_URL' : `${parsed.host}${parsed.pathname}`
}
