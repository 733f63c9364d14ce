import type { Caller } from '../../contract/route.ts'
import { addUser, openTestAccounts, setUp, signIn } from './open-accounts.ts'
import type { TestDatabase } from './servers/postgres.ts'

export const MINUTE = 60_000

/** An administrator, `olga` who asks, and `lea`, `leo` and `lou` of the role `leads`, who decide who may be `operator`. */
export async function openElevations(database: TestDatabase, count = 2) {
  const stage = await openTestAccounts(database)
  const root = (await setUp(stage.accounts)).caller
  const roleOf = async (name: string) =>
    (await stage.call('createRole', { caller: root, body: { name, rules: [] } })).role.role_id
  const leads = await roleOf('leads')
  const operator = await roleOf('operator')
  const elevatable = { approvers: [{ role_id: leads, count }], max_minutes: 60 }
  await stage.call('updateRole', { caller: root, params: { role_id: operator }, body: { elevatable } })
  const person = async (name: string, role?: string) => {
    const { user_id } = await addUser(stage.accounts, root, name, role)
    return { user_id, ...(await signIn(stage.accounts, name)) }
  }
  const [lea, leo, lou] = [await person('lea', 'leads'), await person('leo', 'leads'), await person('lou', 'leads')]
  const olga = await person('olga')
  const ask = async (by: Caller, body = {}) =>
    (
      await stage.call('requestElevation', {
        caller: by,
        body: { role_id: operator, minutes: 10, reason: 'The disk is full.', ...body },
      })
    ).elevation
  const vote = async (by: Caller, elevation_id: string, decision: 'approve' | 'deny' = 'approve') =>
    (await stage.call('voteOnElevation', { caller: by, params: { elevation_id }, body: { decision } })).elevation
  const end = async (by: Caller, elevation_id: string) =>
    (await stage.call('endElevation', { caller: by, params: { elevation_id } })).elevation
  const now = (person: { cookie: string }, accounts = stage.accounts) =>
    accounts.gate.authenticate({ kind: 'cookie', token: person.cookie })
  const policyOf = (user_id: string, by: Caller['kind'] = 'session', accounts = stage.accounts) =>
    accounts.policy.forUser(user_id, null, by)
  const listed = async (by: Caller) => stage.call('listElevations', { caller: by })
  const audited = async (target: string) =>
    (await stage.accounts.audit.about(target, 200)).map(({ action }) => action).toSorted()
  const update = (user_id: string, body: { disabled?: boolean; role_id?: string }) =>
    stage.call('updateUser', { caller: root, params: { user_id }, body })
  const elevated = async () => {
    const { elevation_id } = await ask(olga.caller)
    await vote(lea.caller, elevation_id)
    await vote(leo.caller, elevation_id)
    return elevation_id
  }
  return { ...stage, root, leads, operator, lea, leo, lou, olga, roleOf, person, ask, vote, end, now, policyOf, listed, audited, update, elevated, elevatable } // prettier-ignore
}
