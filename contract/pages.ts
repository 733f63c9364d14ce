import { z } from 'zod'
import { json, route } from './route.ts'

function page(path: `/${string}`, summary: string, access: 'public' | 'session' | 'admin' = 'session') {
  return route({ method: 'GET', path, summary, access, response: { kind: 'page' }, errors: [] })
}

export const pages = {
  dashboard: page('/', 'Dashboard: what is pending and what runs'),
  chat: page('/chat', 'Chat'),
  files: page('/files', 'My stored files'),
  approvals: page('/approvals', 'Approval inbox'),
  modules: page('/modules', 'Modules', 'admin'),
  module: route({
    method: 'GET',
    path: '/modules/{module_name}',
    summary: 'One module: settings, health, tools, log, history',
    access: 'admin',
    params: z.object({ module_name: z.string() }),
    response: { kind: 'page' },
    errors: [],
  }),
  login: page('/login', 'Sign-in page', 'public'),
  setup: page('/setup', 'First start: create the administrator', 'public'),
}

export const operation = {
  health: route({
    method: 'GET',
    path: '/healthz',
    summary: 'The process is alive',
    access: 'public',
    response: json(z.strictObject({ status: z.literal('ok') })),
    errors: [],
  }),
  ready: route({
    method: 'GET',
    path: '/readyz',
    summary: 'The database answers and its migrations are done',
    access: 'public',
    response: json(z.strictObject({ status: z.literal('ok') })),
    errors: ['not_ready'],
  }),
  openapi: route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    access: 'session',
    response: json(z.looseObject({ openapi: z.literal('3.1.0') })),
    errors: [],
  }),
}
