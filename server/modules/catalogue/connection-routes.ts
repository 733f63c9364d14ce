import type { z } from 'zod'
import type { Connection, connections as contract } from '../../../contract/connections.ts'
import type { Caller, Handlers } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import type { Catalogue } from './catalogue.ts'
import { signInOf } from './settings/remote-settings.ts'
import { connectableOf } from './settings/connectable-of.ts'
import type { ModuleRecord } from './store/module-record.ts'
import { displayName } from './store/module-entry.ts'
import { clientMetadata } from '../connections/authorization.ts'
import { EVERYBODY, stateOf } from '../connections/connection-rows.ts'
import { CALLBACK, CLIENT } from '../connections/connections.ts'

const NOTHING_HERE = say`There is nothing at this address, or it is not yours.`

/** The handlers of the routes about connections to remote modules. */
export function connectionRoutes(catalogue: Catalogue): Handlers<typeof contract> {
  const { context } = catalogue
  const { connections } = context

  /** Whose account lists the tools is connected on the module's page. */
  const ofPerson = ({ user_id }: Caller): ModuleRecord[] =>
    [...context.records().values()].filter(
      (record) => record.enabled && signInOf(record) === 'person' && record.connection?.user_id !== user_id,
    )

  /** Which modules there are is not for everybody to know. */
  function ownOne(name: string, caller: Caller): ModuleRecord {
    const record = ofPerson(caller).find((each) => each.name === name)
    if (record === undefined) throw new AppError('not_found', NOTHING_HERE)
    return record
  }

  function oneForAll(name: string): ModuleRecord {
    const record = context.record(name)
    if (signInOf(record) === null) throw new AppError('not_found', NOTHING_HERE)
    return record
  }

  async function end(name: string, owner: string, caller: Caller): Promise<{ ok: true }> {
    if (!(await connections.end(name, owner, caller))) throw new AppError('not_found', NOTHING_HERE)
    await context.refreshSurely()
    return { ok: true }
  }

  return {
    listConnections: async ({ caller }) => {
      const rows = await context.db.read
        .selectFrom('module_connection')
        .selectAll()
        .where('owner', '=', caller.user_id)
        .execute()
      const states = new Map(rows.map((row) => [row.module, stateOf(row)]))
      return {
        items: ofPerson(caller).map((record): z.input<typeof Connection> => {
          const state = states.get(record.name)
          return {
            module: record.name,
            display_name: displayName(record, caller.language),
            status: state?.status ?? 'never',
            problem: state?.problem?.in(caller.language) ?? null,
            issuer: state?.issuer ?? null,
            connected_at: state === undefined ? null : iso(state.connected_at),
          }
        }),
      }
    },
    connect: async ({ params, query, caller, client }) => {
      await catalogue.started()
      const connectable = connectableOf(context.vault, ownOne(params.module_name, caller))
      const { conversation_id } = query
      return {
        ok: true,
        url: await connections.begin(connectable, caller.user_id, caller, client.origin, conversation_id),
      }
    },
    disconnect: ({ params, caller }) => end(ownOne(params.module_name, caller).name, caller.user_id, caller),
    connectForAll: async ({ params, caller, client }) => {
      await catalogue.started()
      const record = oneForAll(params.module_name)
      return {
        ok: true,
        url: await connections.begin(connectableOf(context.vault, record), EVERYBODY, caller, client.origin),
      }
    },
    disconnectForAll: ({ params, caller }) => end(oneForAll(params.module_name).name, EVERYBODY, caller),
    connected: async ({ query, caller }) => {
      const { state, ...returned } = query
      const done = await connections.finish(state, returned, caller)
      if (done === null) return { location: '/account?tab=connections&connected=expired' }
      await context.refreshSurely()
      const { module, owner, conversation_id, problem } = done
      const from = conversation_id === undefined ? '' : encodeURIComponent(conversation_id)
      if (from !== '' && problem === null) return { location: `/chat?c=${from}` }
      const own = `/account?tab=connections&${from === '' ? '' : `from=${from}&`}`
      const page = owner === EVERYBODY ? `/modules/${module}?` : own
      return { location: `${page}connected=${problem === null ? 'yes' : 'no'}` }
    },
    oauthClient: ({ client: { origin } }) => ({
      client_id: origin + CLIENT,
      client_uri: origin,
      ...clientMetadata(origin + CALLBACK),
      token_endpoint_auth_method: 'none',
    }),
  }
}
