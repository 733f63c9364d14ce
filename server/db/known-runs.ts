import { sql } from 'kysely'

/** What may start a run: a signed-in user, a script with an access token, or a routine. */
const STARTED_BY = ['session', 'token', 'routine'] as const
export type StartedBy = (typeof STARTED_BY)[number]

/**
 * True of a run that this version knows how to drive. While processes are upgraded one after the other, a newer one may store
 * runs of kinds that this one would only spoil: they are left to those that know them.
 */
export const KNOWN_RUN = sql<boolean>`run.started_by in (${sql.join(STARTED_BY.map((kind) => sql.lit(kind)))})`
