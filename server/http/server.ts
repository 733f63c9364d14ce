import type { AddressInfo } from 'node:net'
import type { Handlers, Route } from '../../contract/route.ts'
import { OAUTH_SCOPE, oauthAddresses } from '../../contract/oauth-addresses.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { STREAM_TIMING, type StreamTiming } from './answer/events.ts'
import { answerFrameworkError, openFramework } from './framework.ts'
import { OpenStreams } from './answer/open-streams.ts'
import { openGate, type Gate } from './gate.ts'
import { hostnameOf, namesManyHosts } from './request/host-of.ts'
import type { HttpLog } from './http-log.ts'
import { listenProblem } from './listen-problem.ts'
import { originRule } from './request/origin.ts'
import { sendProblem } from './answer/problem.ts'
import { Revised, type RevisionOf } from './answer/revised.ts'
import { SECURITY_HEADERS } from './answer/security-headers.ts'
import { serveRoute, type AnyHandler } from './serve.ts'
import type { SharedLimit } from './request/rate-limit.ts'
import type { Serving } from './serving.ts'
import { trackSilentConnections } from './silent-connections.ts'
import { strictTransport } from './answer/strict-transport.ts'
import type { ServerIdentity } from './tls-port.ts'
import type { TrustedProxies } from './request/trusted-proxies.ts'
import { answerUnknownPath, KnownPaths } from './unknown-path.ts'
import { Web } from './web.ts'

const CLOSE_MS = 15_000
const IDLE_SWEEP_MS = 50

export interface HttpServerOptions {
  readonly log: HttpLog
  /** The address under which people reach the service; null means "whatever the Host header says". */
  readonly publicUrl: string | null
  readonly trustProxy: TrustedProxies
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Plain HTTP if omitted. `local`: the certificate is issued by this installation's own authority. */
  readonly tls?: ServerIdentity & { readonly local: boolean }
  /** Folder with the built browser interface. */
  readonly webRoot: string
  /** Check every answer against the contract; for tests and development. */
  readonly checkAnswers: boolean
  readonly gate: Gate
  /** What the ETag of a route with `revised` is made of. */
  readonly revisionOf: RevisionOf
  /** Called for every answer, with the route as declared in the contract, never the address. */
  readonly onAnswer?: (method: string, route: string, status: number, ms: number) => void
  /** Counts requests to routes with `sharedLimit` over all processes; left out where there is one. */
  readonly sharedLimit?: SharedLimit | null
  /** Called when a write failed because there is no room. */
  readonly onStorageFull?: () => void
  readonly streamTiming?: StreamTiming
  /** Milliseconds granted to requests in flight when the server closes; default 15 s. */
  readonly closeWithin?: number
}

export interface InjectedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  readonly url: string
  readonly headers?: Record<string, string>
  readonly payload?: string | Buffer | object
  readonly remoteAddress?: string
}
export interface InjectedAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>
  readonly body: string
  readonly rawPayload: Buffer
  json<T = unknown>(): T
}

export interface HttpServer extends AsyncDisposable {
  /** Serves a group of the contract. To be called before `listen` and the first `inject`. */
  mount<G extends Record<string, Route>>(group: G, handlers: Handlers<G>): void
  listen(): Promise<{ port: number; address: string }>
  /** Uses another certificate for connections from now on; only with `tls`. */
  useIdentity(identity: ServerIdentity): void
  /** The number of open event streams. */
  openStreams(): number
  /** Makes a request without a socket, for tests. */
  inject(request: InjectedRequest): Promise<InjectedAnswer>
  /**
   * From now on every answer closes its connection, so that a balancer opens new ones, elsewhere. Requests are still
   * answered as before.
   */
  drain(): void
  /** Stops accepting connections, ends event streams, waits for requests in flight (at most `closeWithin`). */
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the HTTP server: limits, security headers, the gate, routes of the contract, the browser interface. */
export async function openServer(options: HttpServerOptions): Promise<HttpServer> {
  const { log } = options
  const origin = originRule(options.publicUrl)
  const web = new Web(options.webRoot)
  const paths = new KnownPaths()
  let draining = false
  let stopping = false
  const serving: Serving = {
    admit: openGate(options.gate, origin),
    origin,
    web,
    revised: new Revised(options.revisionOf, options.checkAnswers),
    log,
    checkAnswers: options.checkAnswers,
    sharedLimit: options.sharedLimit ?? null,
    onStorageFull: options.onStorageFull,
    challenge: challengeOf(options.publicUrl),
    streams: new OpenStreams(options.gate, options.streamTiming ?? STREAM_TIMING, (err) =>
      log.error({ err }, 'could not check the sessions of event streams'),
    ),
    stopping: () => stopping,
  }

  const { tls, publicUrl, trustProxy } = options
  const port = tls === undefined ? null : (await import('./tls-port.ts')).openTlsPort(tls)
  const app = openFramework({ port, trustProxy })
  const endSilentConnections = trackSilentConnections(app.server)
  const strict = strictTransport({ tls: tls === undefined ? 'off' : tls.local ? 'local' : 'files', publicUrl })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_HEADERS)
    const httpsOnly = strict({ protocol: request.protocol, hostname: hostnameOf(request) })
    if (httpsOnly !== null) reply.header('strict-transport-security', httpsOnly)
    if (namesManyHosts(request.raw)) {
      reply.header('connection', 'close')
      return void sendProblem(
        reply,
        new AppError('many_hosts', say`The request has more than one Host header. Send it with one.`),
      )
    }
    if (draining) reply.header('connection', 'close')
    if (!stopping) return done()
    reply.header('connection', 'close')
    sendProblem(reply, new AppError('stopping', say`The service is stopping. Try again in a moment.`))
  })
  const { onAnswer } = options
  if (onAnswer) {
    app.addHook('onResponse', (request, reply, done) => {
      onAnswer(request.method, request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime)
      done()
    })
  }
  if (log.isLevelEnabled('debug')) {
    // The route and not the address, because addresses contain setup links and search terms.
    app.addHook('onResponse', (request, reply, done) => {
      const { method, id, routeOptions } = request
      const ms = Math.round(reply.elapsedTime)
      log.debug({ request_id: id, method, route: routeOptions.url ?? null, status: reply.statusCode, ms }, 'request')
      done()
    })
  }
  app.setNotFoundHandler((request, reply) => answerUnknownPath(request, reply, paths, web))
  app.setErrorHandler((error, request, reply) => answerFrameworkError(error, request, reply, log))

  return {
    mount(group, handlers) {
      for (const [name, route] of Object.entries(group)) {
        const handler = handlers[name] as AnyHandler | undefined
        if (handler === undefined) throw new Error(`no handler for ${name}: ${route.method} ${route.path}`)
        paths.add(route)
        app.route({
          method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
          url: route.path.replaceAll('{', ':').replaceAll('}', ''),
          handler: serveRoute(route, handler, serving),
        })
      }
    },
    async listen() {
      const { host, port } = options
      const address = await app.listen({ host, port }).catch((error: unknown) => {
        throw listenProblem(host, port, error)
      })
      return { port: (app.server.address() as AddressInfo).port, address }
    },
    useIdentity: (identity) => port?.use(identity),
    openStreams: () => serving.streams.size,
    drain: () => {
      draining = true
    },
    inject: (request) => app.inject({ ...request }),
    async [Symbol.asyncDispose]() {
      stopping = true
      serving.streams.stopAll()
      // A connection that becomes idle after close() began would be kept open until its keep-alive timeout.
      const sweep = setInterval(() => {
        app.server.closeIdleConnections()
        endSilentConnections()
      }, IDLE_SWEEP_MS)
      const deadline = setTimeout(() => app.server.closeAllConnections(), options.closeWithin ?? CLOSE_MS)
      try {
        await app.close()
      } finally {
        clearInterval(sweep)
        clearTimeout(deadline)
      }
    },
  }
}

/** Where an MCP client finds out how to get a token (RFC 9728 §5.1). */
function challengeOf(publicUrl: string | null): string | null {
  const addresses = oauthAddresses(publicUrl)
  return addresses && `Bearer resource_metadata="${addresses.metadata}", scope="${OAUTH_SCOPE}"`
}
