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
  watches: page('/watches', 'Watches'),
  approval: route({
    method: 'GET',
    path: '/approvals/{approval_id}',
    summary: 'One approval, as messages link to it; opening it decides nothing',
    access: 'session',
    params: z.object({ approval_id: z.string() }),
    response: { kind: 'page' },
    errors: [],
  }),
  routines: page('/routines', 'Routines: what is planned, and how it went'),
  routine: route({
    method: 'GET',
    path: '/routines/{routine_id}',
    summary: 'One routine, as messages link to it',
    access: 'session',
    params: z.object({ routine_id: z.string() }),
    response: { kind: 'page' },
    errors: [],
  }),
  procedures: page('/procedures', 'Procedures: reviewed calls that run without a model'),
  procedure: route({
    method: 'GET',
    path: '/procedures/{procedure_id}',
    summary: 'One procedure: its versions, its review and its runs',
    access: 'session',
    params: z.object({ procedure_id: z.string() }),
    response: { kind: 'page' },
    errors: [],
  }),
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
  account: page('/account', 'My account: sign-in, sessions, access tokens, preferences'),
  admin: page('/admin', 'Administration: leads to the users', 'admin'),
  adminUsers: page('/admin/users', 'Users', 'admin'),
  adminRoles: page('/admin/roles', 'Roles and their rules', 'admin'),
  adminHosts: page('/admin/hosts', 'Machines', 'admin'),
  adminAi: page('/admin/ai', 'AI engines', 'admin'),
  adminLimits: page('/admin/limits', 'Limits of roles and use of the AI engine', 'admin'),
  adminNotifications: page('/admin/notifications', 'Channels, and who is told of what waits', 'admin'),
  adminClients: page('/admin/clients', 'MCP clients that may ask people for access', 'admin'),
  adminRuns: page('/admin/runs', 'What runs now, for everybody', 'admin'),
  adminAudit: route({
    method: 'GET',
    path: '/admin/audit',
    summary: 'Audit log',
    access: 'session',
    permissions: ['audit.read'],
    response: { kind: 'page' },
    errors: ['forbidden', 'approval_required'],
  }),
  help: page('/help', 'Guide'),
  helpCertificates: page('/help/certificates', 'How to trust the local certificate'),
  helpApi: page('/help/api', 'Interactive reference of this interface'),
  helpAbout: page('/help/about', 'Version, licences, build'),
  helpAuthor: page('/help/author', 'Who makes Reeve, and the guide for authors of modules'),
  oauthConsent: page('/oauth/authorize', 'Letting an MCP client in'),
  login: page('/login', 'Sign-in page', 'public'),
  setup: page('/setup', 'First start: create the administrator', 'public'),
}

export const operation = {
  health: route({
    method: 'GET',
    path: '/healthz',
    summary: 'The process is alive',
    access: 'public',
    callerless: true,
    response: json(z.strictObject({ status: z.literal('ok') })),
    errors: [],
  }),
  live: route({
    method: 'GET',
    path: '/livez',
    summary: 'The event loop answers; nothing else is looked at',
    access: 'public',
    callerless: true,
    response: json(z.strictObject({ status: z.literal('ok') })),
    errors: [],
  }),
  ready: route({
    method: 'GET',
    path: '/readyz',
    summary: 'Requests can be served; with an administrator’s or the collector’s token, each check by name',
    // The token from the settings is not a user's access token, so the handler checks it.
    access: 'public',
    headers: z.object({ authorization: z.string().optional() }),
    response: json(
      z.strictObject({
        status: z.literal('ok'),
        /** Only for administrators and the collector; a problem has it as well. */
        checks: z.record(z.string(), z.enum(['ok', 'failed'])).optional(),
      }),
    ),
    errors: ['not_ready'],
  }),
  metrics: route({
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus: for administrators, and for a collector with the token of the settings',
    // The token from the settings is not a user's access token, so the handler checks it.
    access: 'public',
    headers: z.object({ authorization: z.string().optional() }),
    response: { kind: 'text', mediaType: 'text/plain; version=0.0.4; charset=utf-8' },
    errors: [],
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
