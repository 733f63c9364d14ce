import { z } from 'zod'
import { json, route } from './route.ts'
import { ConnectionStatus } from './module-connection.ts'
import { ModuleName, ModuleParams } from './module-values.ts'
import { Id, Ok, Timestamp } from './values.ts'

export const Connection = z.strictObject({
  module: ModuleName,
  display_name: z.string(),
  status: ConnectionStatus,
  /** Why it is not connected any more, in a sentence. */
  problem: z.string().nullable(),
  /** Where one signs in; null before the first time. */
  issuer: z.string().nullable(),
  connected_at: Timestamp.nullable(),
})
export type Connection = z.infer<typeof Connection>

/** Where to send the browser: the authorization server of the module. */
const Begun = json(z.strictObject({ ok: Ok, url: z.string() }))

/** Connections to remote modules by OAuth. */
export const connections = {
  listConnections: route({
    method: 'GET',
    path: '/api/connections',
    summary: 'The modules that I use with an account of mine, and whether they are connected',
    access: 'session',
    response: json(z.strictObject({ items: z.array(Connection) })),
    errors: [],
  }),
  connect: route({
    method: 'POST',
    path: '/api/connections/{module_name}',
    summary: 'Begin to connect a module with an account of mine; it counts once, for ten minutes, in this session',
    access: 'session',
    sessionOnly: true,
    params: ModuleParams,
    /** The conversation that needs it: it is where the way leads back to. */
    query: z.object({ conversation_id: Id.optional() }),
    response: Begun,
    errors: ['not_found', 'connect_failed'],
    rateLimit: 30,
  }),
  disconnect: route({
    method: 'DELETE',
    path: '/api/connections/{module_name}',
    summary: 'Forget my connection to a module',
    access: 'session',
    sessionOnly: true,
    params: ModuleParams,
    response: json(z.strictObject({ ok: Ok })),
    errors: ['not_found'],
  }),
  connectForAll: route({
    method: 'POST',
    path: '/api/modules/{module_name}/connection',
    summary: 'Begin to connect a module for everybody; where each person connects, it lists the tools',
    access: 'admin',
    sessionOnly: true,
    params: ModuleParams,
    response: Begun,
    errors: ['not_found', 'connect_failed'],
    rateLimit: 30,
  }),
  disconnectForAll: route({
    method: 'DELETE',
    path: '/api/modules/{module_name}/connection',
    summary: 'Forget the connection of a module that counts for everybody',
    access: 'admin',
    sessionOnly: true,
    params: ModuleParams,
    response: json(z.strictObject({ ok: Ok })),
    errors: ['not_found'],
  }),
  connected: route({
    method: 'GET',
    path: '/api/connections/callback',
    summary: 'Where an authorization server sends the browser back to; leads to the page on which it began',
    access: 'session',
    sessionOnly: true,
    query: z.object({
      state: z.string().max(1000).optional(),
      code: z.string().max(4000).optional(),
      iss: z.string().max(2000).optional(),
      error: z.string().max(1000).optional(),
    }),
    response: { kind: 'redirect', status: 303 },
    errors: [],
    rateLimit: 60,
  }),
  oauthClient: route({
    method: 'GET',
    path: '/api/connections/client',
    summary: 'Who Reeve is, for authorization servers that read it at the address of the client',
    access: 'public',
    callerless: true,
    response: json(
      z.strictObject({
        client_id: z.string(),
        client_name: z.string(),
        client_uri: z.string(),
        redirect_uris: z.array(z.string()),
        grant_types: z.array(z.string()),
        response_types: z.array(z.string()),
        token_endpoint_auth_method: z.literal('none'),
      }),
    ),
    errors: [],
    rateLimit: 60,
  }),
}
