import { queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'

export type MyMethods = Output<'GET /api/auth/methods/mine'>
export type Passkey = Output<'GET /api/auth/passkeys'>['items'][number]
export type SignInSession = Output<'GET /api/auth/sessions'>['items'][number]
export type AccessToken = Output<'GET /api/auth/tokens'>['items'][number]

/** What the account page reads. No event reports changes made elsewhere, so nothing is cached for long. */
export const myMethodsQuery = queryOptions({
  queryKey: ['account', 'methods'],
  queryFn: ({ signal }) => call('GET /api/auth/methods/mine', { signal }),
})

export const passkeysQuery = queryOptions({
  queryKey: ['account', 'passkeys'],
  queryFn: async ({ signal }) => (await call('GET /api/auth/passkeys', { signal })).items,
})

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) => (await call('GET /api/auth/sessions', { signal })).items,
})

export const connectionsQuery = queryOptions({
  queryKey: ['account', 'connections'],
  queryFn: async ({ signal }) => (await call('GET /api/connections', { signal })).items,
})

export const tokensQuery = queryOptions({
  queryKey: ['account', 'tokens'],
  queryFn: async ({ signal }) => (await call('GET /api/auth/tokens', { signal })).items,
})
