import { expect } from 'vitest'
import { COMMON_ERRORS, ERRORS, Problem, type ErrorCode } from '../../contract/errors.ts'
import { contract } from '../../contract/index.ts'
import { openAudit } from '../../server/accounts/audit/audit.ts'
import type { Route } from '../../contract/route.ts'
import { INLINE_FILE_POLICY, PAGE_POLICY, SECURITY_HEADERS } from '../../server/http/answer/security-headers.ts'
import { startTestApp, type TestApp } from './app.ts'
import { belongings, type Ids } from './belongings.ts'
import { databaseContent } from './databases/database-content.ts'
import type { TestClient } from './client.ts'
import { install, makeBundle, PNG } from './modules/module-bundles.ts'
import type { TestDatabase } from './servers/postgres.ts'
import { sampleBody } from './sources/sample-body.ts'

/** The service with people who have something to lose. */
export interface SecurityStage extends AsyncDisposable {
  readonly app: TestApp
  readonly admin: TestClient
  readonly ann: TestClient
  /** As plain a user as ann, with nothing. */
  readonly ben: TestClient
  /** One real id of ann's for each kind of id in the contract; `user_id` and `role_id` are a spare user's. */
  readonly ids: Ids
}

const SPARE_ENGINE = {
  name: 'spare',
  provider: 'openai-compatible' as const,
  base_url: 'http://127.0.0.1:9/v1',
  model: 'spare',
  context_tokens: 8000,
  price: null,
  timeout_ms: 1000,
  idle_timeout_ms: 1000,
}

export async function openSecurityStage(database?: TestDatabase): Promise<SecurityStage> {
  const app = await startTestApp({ database })
  const [admin, ann, ben] = [await app.as('admin'), await app.as('ann'), await app.as('ben')]
  const { user } = await (await app.as('carl')).call(contract.accounts.session)
  const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'spare', rules: [] } })
  // For nobody but the spare role: everybody else works in direct mode.
  const { engine } = await admin.call(contract.engines.addEngine, {
    body: { ...SPARE_ENGINE, role_ids: [role.role_id] },
  })
  const { host } = await admin.call(contract.hosts.addHost, { body: { name: 'spare', address: 'spare.invalid' } })
  // Nothing listens there: what is sent fails at once.
  const server = { kind: 'smtp' as const, name: 'Mail', address: 'smtp://127.0.0.1:9', sender: 'reeve@example.com' }
  const { channel } = await admin.call(contract.notifications.addChannel, { body: server })
  const program = { name: 'Spare', redirect_uris: ['https://spare.invalid/'] }
  const { client } = await admin.call(contract.oauth.addOauthClient, { body: program })
  const own = await belongings(app, 'ann')
  const ids = {
    ...own,
    ...(await moduleIds(admin)),
    user_id: user.id,
    role_id: role.role_id,
    engine_id: engine.engine_id,
    host_id: host.host_id,
    shared_channel_id: channel.channel_id,
    client_id: client.client_id,
  }
  return { app, admin, ann, ben, ids, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

/**
 * What the service writes of itself while it runs: samples, signs of life, what it counts, the day's signed head, what its
 * watches see.
 */
const OF_ITS_OWN = ['sample', 'process', 'request_count', 'audit_head', 'signing_key', 'watch_state', 'watch_crossing']

/**
 * Every row that a request could change; built-in modules come up by themselves meanwhile, and tell of it, and the
 * machine is measured each minute.
 */
export async function contentOf({ app }: SecurityStage): Promise<Record<string, string[]>> {
  const { db } = app.app
  // Entries of the log become links of its chain a moment later.
  await openAudit(db, Date.now).settle()
  const content = await databaseContent(db)
  const { event = [], audit = [], watch = [] } = content
  return {
    ...Object.fromEntries(Object.entries(content).filter(([table]) => !OF_ITS_OWN.includes(table))),
    event: event.filter((row) => !/"(module|watch)\.changed"/.test(row)),
    // Those that every installation begins with are looked at meanwhile.
    watch: watch.filter((row) => row.includes('["preset",null]')),
    audit: audit.filter((row) => !row.includes('"signing_key.created"')),
  }
}

/** A module with an icon, and a backup of it. */
async function moduleIds(admin: TestClient): Promise<Ids> {
  const bundle = await makeBundle({ name: 'stage', manifest: { icon: 'icon.png' }, files: { 'icon.png': PNG } })
  const { module } = await install(admin, bundle)
  const params = { module_name: module.name }
  const { backup } = await admin.call(contract.modules.uninstall, { params, body: {} })
  await install(admin, bundle)
  // Prompts are by name, and whoever may not use a module has none of its prompts.
  const digest = '0'.repeat(64)
  return { ...params, backup: backup ?? '', module: module.name, prompt: 'summary-of-stage', digest }
}

/** The ids as this route means them: its `folder_id` may be one of quick commands, its file a picture. */
export function idsFor({ path }: Route, ids: Ids): Ids {
  const { command_folder_id, picture_id, shared_channel_id } = ids
  if (path.startsWith('/api/admin/channels') && shared_channel_id !== undefined)
    return { ...ids, channel_id: shared_channel_id }
  if (path.endsWith('/preview') && picture_id !== undefined) return { ...ids, file_id: picture_id }
  return path.startsWith('/api/quick-command') && command_folder_id !== undefined
    ? { ...ids, folder_id: command_folder_id }
    : ids
}

export interface RequestParts {
  readonly ids: Ids
  readonly headers?: Record<string, string>
  /** Instead of the sample made from the schema. Sent as it is. */
  readonly body?: RequestInit['body']
  readonly query?: string
  readonly method?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly problem: Problem | null
}

/**
 * A request to any route that is right in every other respect: real ids, a body that its schema accepts. The answer is
 * checked for all that holds for every answer of the service.
 */
export async function ask(client: TestClient, route: Route, parts: RequestParts): Promise<Answer> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(idFor(name, parts.ids)))
  const raw = route.body?.kind === 'raw' ? 'some bytes' : undefined
  const sample = sampleBody(route, parts.ids)
  const json: Record<string, string> = sample === undefined ? {} : { 'content-type': 'application/json' }
  const response = await client.fetch(path + (parts.query ?? queryOf(route)), {
    method: parts.method ?? route.method,
    headers: {
      ...json,
      ...(raw === undefined ? {} : { 'x-file-name': 'a.txt', 'x-module-filename': 'a.mcpb' }),
      ...parts.headers,
    },
    body: 'body' in parts ? parts.body : (raw ?? (sample && JSON.stringify(sample))),
  })
  return checked(route, response, parts.method === 'HEAD')
}

/** What is to be drawn is asked for by the columns that the file of `belongings` has. */
function queryOf({ path }: Route): string {
  const chart = { kind: 'bar', x: 'private notes', y: ['private notes'] }
  return path.endsWith('/table/chart') ? `?chart=${encodeURIComponent(JSON.stringify(chart))}` : ''
}

function idFor(name: string, ids: Ids): string {
  const id = ids[name]
  if (id === undefined) throw new Error(`test/stage/security-stage.ts has no ${name} yet: let ann own one.`)
  return id
}

/** What no answer may give away: stacks, paths of the machine, statements. */
const INSIDES =
  /node_modules|\.ts:\d|\n\s+at |select .* from |insert into|sqlite|postgres|kysely|\/server\/|\/tmp\/|\/home\//i

async function checked(route: Route, response: Response, bodiless: boolean): Promise<Answer> {
  const { status, headers } = response
  const streams = headers.get('content-type') === 'text/event-stream'
  if (streams) await response.body?.cancel()
  const text = streams ? '' : await response.text()
  const where = `${route.method} ${route.path} → ${status} ${text.slice(0, 300)}`
  expectSafeHeaders(headers, where)
  const problem =
    status >= 400 && !bodiless && !isPage(headers) ? expectProblem({ status, headers, text }, where) : null
  if (problem) expect([where, problem.code]).toEqual([where, expect.toBeOneOf([...route.errors, ...COMMON_ERRORS])])
  return { status, headers, text, problem }
}

function isPage(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('text/html') ?? false
}

/** The security headers, and cookies that scripts and other sites do not get. */
export function expectSafeHeaders(headers: Headers, where: string): void {
  const { 'content-security-policy': policy, ...strict } = SECURITY_HEADERS
  // Only our own pages may frame a file that is shown in place.
  const inline = headers.get('content-disposition')?.startsWith('inline') ?? false
  const fixed = inline ? { ...strict, 'x-frame-options': 'SAMEORIGIN' } : strict
  const sent = Object.fromEntries(Object.keys(fixed).map((name) => [name, headers.get(name)]))
  expect([where, sent]).toEqual([where, fixed])
  const given = headers.get('content-security-policy')
  expect([where, given]).toEqual([where, expect.toBeOneOf(inline ? [INLINE_FILE_POLICY] : [policy, PAGE_POLICY])])
  for (const line of headers.getSetCookie()) {
    expect([where, line]).toEqual([where, expect.stringMatching(/; HttpOnly; SameSite=Lax(; Secure)?$/)])
  }
  expect([where, headers.get('access-control-allow-origin')]).toEqual([where, null])
}

/** A problem document with a code of the table, the status of that code, and nothing of the inside. */
export function expectProblem(
  { status, headers, text }: { status: number; headers: Headers; text: string },
  where: string,
): Problem {
  expect([where, headers.get('content-type')?.split(';')[0]]).toEqual([where, 'application/problem+json'])
  const problem = Problem.parse(JSON.parse(text))
  const entry: { status: number; title: string } = ERRORS[problem.code]
  expect({ where, status, title: problem.title, inBody: problem.status }).toEqual({
    where,
    ...entry,
    inBody: entry.status,
  })
  expect([where, INSIDES.exec(text)?.[0]]).toEqual([where, undefined])
  return problem
}

/** The refusal in short, to compare: status and code. */
export function refusal({ status, problem }: Answer): [number, ErrorCode | null] {
  return [status, problem?.code ?? null]
}
