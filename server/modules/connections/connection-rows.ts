import type { Database, Reader, Trx } from '../../db/database.ts'
import type { ModuleConnectionTable } from '../../db/rows/module-tables.ts'
import { Sentence } from '../../kernel/sentence.ts'
import { SealError, type Vault } from '../../kernel/vault.ts'
import type { Grant } from './authorization.ts'
import type { LostConnection } from './connectable.ts'

/** The owner of the connection that lists a module's tools. */
export const EVERYBODY = ''
/** How long one process may take to renew tokens before another tries. */
const RENEW_MS = 60_000
/** How long nobody tries again what failed in passing, while the token that was to be renewed still counts. */
const PAUSE_MS = 15_000

/** What is known of a connection, without its tokens. */
export interface ConnectionState {
  readonly module: string
  readonly owner: string
  readonly user_id: string | null
  readonly issuer: string
  readonly scope: string | null
  readonly status: 'connected' | 'disconnected'
  readonly problem: Sentence | null
  readonly connected_at: number
}

export interface OpenedConnection extends ConnectionState {
  readonly grant: Grant
  readonly challenge: string | null
  readonly version: number
}

const purposeOf = (module: string, owner: string): string => `module connection\0${module}\0${owner}`

export function stateOf(row: Omit<ModuleConnectionTable, 'sealed'>): ConnectionState {
  const { module, owner, user_id, issuer, scope, status, problem, connected_at } = row
  const why = problem === null ? null : Sentence.unpack(JSON.parse(problem) as ReturnType<Sentence['pack']>)
  return { module, owner, user_id, issuer, scope, status, problem: why, connected_at: Number(connected_at) }
}

/** Null when there is none, or none that this installation's key opens. */
export async function readConnection(
  db: Reader,
  vault: Vault,
  module: string,
  owner: string,
): Promise<OpenedConnection | null> {
  const row = await db
    .selectFrom('module_connection')
    .selectAll()
    .where('module', '=', module)
    .where('owner', '=', owner)
    .executeTakeFirst()
  if (row === undefined) return null
  try {
    const grant = JSON.parse(vault.open(purposeOf(module, owner), row.sealed)) as Grant
    return { ...stateOf(row), grant, challenge: row.challenge, version: row.version }
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

/** Stores a new connection in the place of an earlier one. @returns the one that was lost before, if one was */
export async function saveConnection(
  trx: Trx,
  vault: Vault,
  about: { module: string; owner: string; user_id: string | null; grant: Grant },
  now: number,
): Promise<LostConnection[]> {
  const { module, owner, user_id, grant } = about
  const values = {
    user_id,
    issuer: grant.issuer,
    sealed: vault.seal(purposeOf(module, owner), JSON.stringify(grant)),
    scope: grant.scope,
    status: 'connected' as const,
    problem: null,
    challenge: null,
    expires_at: grant.expires_at,
    // Later than every version before, also of a connection that was ended in between.
    version: Math.floor(now / 1000) % 2_000_000_000,
    renewing_until: 0,
    connected_at: now,
  }
  // Its row is held from here on, so nobody can find it lost in between.
  const before = await trx
    .updateTable('module_connection')
    .set({ renewing_until: 0 })
    .where('module', '=', module)
    .where('owner', '=', owner)
    .returning(['module', 'owner', 'connected_at', 'status'])
    .execute()
  await trx
    .insertInto('module_connection')
    .values({ module, owner, ...values })
    .onConflict((conflict) =>
      conflict.columns(['module', 'owner']).doUpdateSet((eb) => ({
        ...values,
        version: eb('module_connection.version', '+', 1),
      })),
    )
    .execute()
  return lostOf(before)
}

/** Forgets a connection. Null: there is none. @returns it, if it was lost before */
export async function deleteConnection(trx: Trx, module: string, owner: string): Promise<LostConnection[] | null> {
  const rows = await trx
    .deleteFrom('module_connection')
    .where('module', '=', module)
    .where('owner', '=', owner)
    .returning(['module', 'owner', 'connected_at', 'status'])
    .execute()
  return rows.length === 0 ? null : lostOf(rows)
}

/** The connections of a module that are lost now. */
export async function lostConnections(db: Reader, module: string): Promise<LostConnection[]> {
  const rows = await db
    .selectFrom('module_connection')
    .select(['module', 'owner', 'connected_at', 'status'])
    .where('module', '=', module)
    .where('status', '=', 'disconnected')
    .execute()
  return lostOf(rows)
}

function lostOf(
  rows: readonly Pick<ModuleConnectionTable, 'module' | 'owner' | 'connected_at' | 'status'>[],
): LostConnection[] {
  return rows
    .filter(({ status }) => status === 'disconnected')
    .map(({ module, owner, connected_at }) => ({ module, owner, connected_at: Number(connected_at) }))
}

/** Ends all connections of a module, those that somebody is just making too. */
export async function forgetConnections(trx: Trx, module: string): Promise<void> {
  await trx.deleteFrom('module_connection').where('module', '=', module).execute()
  await trx.deleteFrom('module_connecting').where('module', '=', module).execute()
}

/** When each of these owners has connected, by owner. */
export async function connectedSince(
  db: Reader,
  module: string,
  owners: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('module_connection')
    .select(['owner', 'connected_at'])
    .where('module', '=', module)
    .where('owner', 'in', owners)
    .where('status', '=', 'connected')
    .execute()
  return new Map(rows.map(({ owner, connected_at }) => [owner, Number(connected_at)]))
}

/** Whether this process is now the one that renews the tokens of this version. `early`: they still count, so that it can wait. */
export async function takeRenewal(
  db: Database,
  { module, owner, version, connected_at }: OpenedConnection,
  when: 'early' | 'due',
): Promise<boolean> {
  const { now } = db.dialect
  const { numUpdatedRows } = await db.write
    .updateTable('module_connection')
    .set((eb) => ({ renewing_until: eb(now, '+', RENEW_MS) }))
    .where('module', '=', module)
    .where('owner', '=', owner)
    .where('version', '=', version)
    .where('connected_at', '=', connected_at)
    .where('status', '=', 'connected')
    .where((eb) => eb('renewing_until', '<', now))
    .$if(when === 'early', (take) => take.where((eb) => eb(eb(now, '+', eb.ref('renewing_until')), '>', 0)))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Another process, or a later attempt of this one, may try: at once where the token is due, after a pause where it is early. The
 * end of that pause is stored as a negative number: nobody has taken it.
 */
export async function leaveRenewal(
  db: Database,
  { module, owner, version, connected_at }: OpenedConnection,
): Promise<void> {
  const { now } = db.dialect
  await db.write
    .updateTable('module_connection')
    .set((eb) => ({ renewing_until: eb.neg(eb.parens(eb(now, '+', PAUSE_MS))) }))
    .where('module', '=', module)
    .where('owner', '=', owner)
    .where('version', '=', version)
    .where('connected_at', '=', connected_at)
    .execute()
}

/** Stores renewed tokens, unless somebody has connected anew meanwhile. */
export async function saveRenewal(
  db: Database,
  vault: Vault,
  { module, owner, version, connected_at }: OpenedConnection,
  grant: Grant,
): Promise<void> {
  await db.write
    .updateTable('module_connection')
    .set({
      sealed: vault.seal(purposeOf(module, owner), JSON.stringify(grant)),
      scope: grant.scope,
      expires_at: grant.expires_at,
      version: version + 1,
      renewing_until: 0,
    })
    .where('module', '=', module)
    .where('owner', '=', owner)
    .where('version', '=', version)
    .where('connected_at', '=', connected_at)
    .execute()
}

/** Whether it was connected, in this version, until now. */
export async function breakConnection(
  trx: Trx,
  { module, owner, version, connected_at }: OpenedConnection,
  problem: Sentence,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('module_connection')
    .set({ status: 'disconnected', problem: JSON.stringify(problem.pack()), version: version + 1 })
    .where('module', '=', module)
    .where('owner', '=', owner)
    .where('version', '=', version)
    .where('connected_at', '=', connected_at)
    .where('status', '=', 'connected')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether that is news: it stays connected, and the next time that somebody connects, this is asked for too. */
export async function keepChallenge(
  trx: Trx,
  { module, owner, version, connected_at }: OpenedConnection,
  problem: Sentence,
  challenge: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('module_connection')
    .set({ problem: JSON.stringify(problem.pack()), challenge })
    .where('module', '=', module)
    .where('owner', '=', owner)
    .where('version', '=', version)
    .where('connected_at', '=', connected_at)
    .where('status', '=', 'connected')
    .where((eb) => eb.or([eb('challenge', 'is', null), eb('challenge', '<>', challenge)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
