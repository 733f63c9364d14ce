import { z } from 'zod'
import type { Caller, Handlers, StreamEvent } from '../../../contract/route.ts'
import type { Gate } from '../../../server/http/gate.ts'
import { openServer, type HttpServerOptions } from '../../../server/http/server.ts'
import { AppError } from '../../../server/kernel/app-error.ts'
import { say } from '../../../server/kernel/sentence.ts'
import { routes } from '../sources/http-routes.ts'

/** What a test turns to make the fixture behave. */
export interface Switches {
  setupNeeded: boolean
  effects: Record<string, 'allow' | 'ask' | 'deny'>
  revoked: Set<string>
  events: (signal: AbortSignal) => AsyncIterable<StreamEvent>
  release: (() => void) | null
  uploaded: number
  stopUploadAt: number
  signals: AbortSignal[]
  /** Bytes of the file that never come; all of them: it fails before the first. */
  fileLacks: number
}

function callerOf(name: string, kind: 'session' | 'token'): Caller {
  const user = { user_id: `usr_${name}`, username: name, display_name: name, scope: null }
  const role = { role_id: 'rol_1', role_revision: 1 }
  return {
    ...user,
    ...role,
    admin: name === 'root',
    session_id: `ses_${name}`,
    kind,
    language: name === 'hans' ? 'de' : 'en',
  }
}

export const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []

export async function openFixture(options: Partial<HttpServerOptions> = {}) {
  const switches: Switches = {
    setupNeeded: false,
    effects: {},
    revoked: new Set(),
    events: () => one(),
    release: null,
    uploaded: 0,
    stopUploadAt: Infinity,
    signals: [],
    fileLacks: 0,
  }
  const gate: Gate = {
    authenticate: async ({ kind, token }) => {
      const name = /^(?:secret|bearer)-(ann|hans|root)$/.exec(token)?.[1]
      if (name === undefined || switches.revoked.has(name) || token.startsWith('bearer') !== (kind === 'bearer'))
        return null
      return callerOf(name, kind === 'bearer' ? 'token' : 'session')
    },
    stillValid: async (caller) => !switches.revoked.has(caller.username),
    csrfToken: (caller) => `csrf-${caller.username}`,
    permission: async (_caller, permission) => ({
      effect: switches.effects[permission] ?? 'allow',
      reason: `Rule ${permission} of role Staff says ${switches.effects[permission]}.`,
    }),
    requireFresh: async () => undefined,
    setupNeeded: async () => switches.setupNeeded,
  }
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as never, message })
  const server = await openServer({
    log: { error: log('error'), debug: log('debug'), isLevelEnabled: () => true },
    publicUrl: null,
    trustProxy: false,
    host: '127.0.0.1',
    port: 0,
    webRoot: '/nonexistent',
    checkAnswers: true,
    gate,
    closeWithin: 3000,
    ...options,
  })
  server.mount(routes, handlersOf(switches))
  return { server, switches }
}

/** The year 2100. */
const FAR = 4102444800000

async function* one(): AsyncGenerator<StreamEvent> {
  yield { id: 1, event: 'tick', data: { n: 1 } }
}

function handlersOf(switches: Switches): Handlers<typeof routes> {
  return {
    list: ({ query, headers }) => ({
      items: [{ id: 'itm_1', size: 1 }],
      limit: query.limit,
      wanted: headers['x-wanted'] ?? null,
    }),
    read: ({ params }) => {
      if (params.id === 'itm_none') throw new AppError('not_found', say`There is no such item.`)
      return { id: params.id, size: 1 }
    },
    create: ({ body, caller }) => ({ name: body.name, caller: caller.username }),
    remove: ({ body }) => ({ force: body.force ?? false }),
    run: ({ headers, asks }) =>
      headers.prefer === 'respond-async'
        ? { status: 202, body: { run_id: 'run_1' } }
        : { status: 200, body: { asks: [...asks] } },
    login: ({ body }) => ({
      body: { ok: true },
      session: body.out === true ? null : { token: 'secret-ann', expires_at: FAR },
    }),
    guarded: () => ({}),
    admin: () => ({}),
    upload: async ({ body, client }) => {
      for await (const chunk of body) {
        switches.uploaded += chunk.byteLength
        if (switches.uploaded >= switches.stopUploadAt) throw new AppError('bad_file_name', say`Not this one.`)
      }
      return { size: switches.uploaded, content_type: client.content_type }
    },
    file: ({ params }) => ({
      name: params.name,
      media_type: 'text/plain; charset=utf-8',
      size: 6,
      stream: bytes(switches.fileLacks),
    }),
    show: () => ({ name: 'x.svg', media_type: 'image/svg+xml', size: 6, stream: bytes(0) }),
    text: () => 'up 1\n',
    away: ({ client }) =>
      client.note === 'was here'
        ? { location: '/chat', session: { token: 'secret-ann', expires_at: FAR }, note: null }
        : { location: client.origin, note: { text: 'was here', expires_at: FAR } },
    events: ({ signal }) => {
      switches.signals.push(signal)
      return switches.events(signal)
    },
    fail: ({ query: { how } }) => {
      if (how === 'error') throw new Error('SELECT secret FROM /var/lib/thing', { cause: new Error('deep') })
      if (how === 'zod') z.string().parse(1)
      if (how === 'declared')
        throw new AppError('folder_exists', say`Pick another name.`, {
          retryAfter: 2.2,
          extra: { folder_id: 'fld_1', status: 9 },
        })
      if (how === 'undeclared') throw new AppError('run_active', say`Undeclared.`)
      if (how === 'answer') return { ok: true, more: 1 } as { ok: true }
      return { ok: true }
    },
    slow: async ({ signal }) => {
      switches.signals.push(signal)
      await new Promise<void>((resolve) => (switches.release = resolve))
      return {}
    },
    page: () => undefined,
    adminPage: () => undefined,
    loginPage: () => undefined,
    setupPage: () => undefined,
  }
}

async function* bytes(lacks: number): AsyncGenerator<Uint8Array> {
  if (lacks === 6) throw new Error('disk /secret/path')
  yield Buffer.from('abc')
  if (lacks === 0) yield Buffer.from('def')
}

export const ann = { cookie: 'reeve_session=secret-ann' }
export const annWrites = { ...ann, 'x-csrf-token': 'csrf-ann' }
