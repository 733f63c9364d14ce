import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import type { HttpLog } from './http-log.ts'
import { internalError, notFound, sendProblem } from './answer/problem.ts'
import { SECURITY_HEADERS } from './answer/security-headers.ts'
import type { TlsPort } from './tls-port.ts'
import type { TrustedProxies } from './request/trusted-proxies.ts'

const KEEP_ALIVE_MS = 72_000
const WHOLE_REQUEST_MS = 30 * 60_000

/** Failures before there was a request, by node:http error code. */
const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

export interface FrameworkOptions {
  /** Plain HTTP if null. */
  readonly port: TlsPort | null
  readonly trustProxy: TrustedProxies
}

/** Fastify with everything disabled that is done here instead: parsing, logging, HEAD, its own error bodies. */
export function openFramework({ port, trustProxy }: FrameworkOptions) {
  const run = randomBytes(4).toString('hex')
  let count = 0
  const factory = (handler: RequestListener) =>
    port?.open(handler, { keepAlive: KEEP_ALIVE_MS, request: WHOLE_REQUEST_MS })
  const app = fastify({
    ...(port === null ? {} : { serverFactory: factory as never }),
    trustProxy: trusted(trustProxy),
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: WHOLE_REQUEST_MS,
    routerOptions: { maxParamLength: 1000 },
    // The contract checks requests and answers. Otherwise the framework loads two libraries for it.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    genReqId: () => `${run}-${(++count).toString(36)}`,
    // Handles addresses that cannot be decoded, before any hook runs.
    frameworkErrors: (_error, _request, reply) => {
      sendProblem(reply.headers(SECURITY_HEADERS), notFound())
    },
    clientErrorHandler(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) return
      const status = CLIENT_ERRORS[error.code] ?? '400 Bad Request'
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    },
  })
  app.removeAllContentTypeParsers()
  // Bodies are read after the gate, by read-json and read-raw: no stranger's body is examined.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app
}

/** No route gives the framework a schema. */
function unused(): never {
  throw new Error('The framework has no schema to compile.')
}

/** In the framework's format: hop 0 of a chain is the connection's peer. */
function trusted(proxies: TrustedProxies) {
  if (typeof proxies === 'number') return (_address: string, hop: number) => hop < proxies
  return proxies === false ? false : [...proxies]
}

/** Answers what the framework itself refuses, or a file that could not be read before its first byte was sent. */
export function answerFrameworkError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: HttpLog,
): FastifyReply {
  for (const name of ['content-length', 'content-disposition', 'content-encoding']) {
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
  if ((error as { code?: unknown }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return sendProblem(reply, new AppError('unsupported_media_type', say`The Content-Type header is not a media type.`))
  }
  log.error({ request_id: request.id, route: request.routeOptions.url ?? null, err: error }, 'request failed')
  return sendProblem(reply, internalError(request.id))
}
