import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import type { HttpLog } from './http-log.ts'
import { internalError, notFound, sendProblem } from './problem.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import type { TlsPort } from './tls-port.ts'

const KEEP_ALIVE_MS = 72_000
const WHOLE_REQUEST_MS = 30 * 60_000

/** What never became a request, by the code that node:http gives it. */
const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

export interface FrameworkOptions {
  /** Plain HTTP without. */
  readonly port: TlsPort | null
  readonly trustProxy: boolean | string
}

/** Fastify with everything switched off that we do ourselves: parsing, logging, HEAD, its own error bodies. */
export function openFramework({ port, trustProxy }: FrameworkOptions) {
  const run = randomBytes(4).toString('hex')
  let count = 0
  const factory = (handler: RequestListener) =>
    port?.open(handler, { keepAlive: KEEP_ALIVE_MS, request: WHOLE_REQUEST_MS })
  const app = fastify({
    ...(port === null ? {} : { serverFactory: factory as never }),
    trustProxy,
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: WHOLE_REQUEST_MS,
    routerOptions: { maxParamLength: 1000 },
    genReqId: () => `${run}-${(++count).toString(36)}`,
    // Addresses that cannot be decoded, before any hook runs.
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
  // Bodies are read after the gate, by read-json and read-raw: nothing of a stranger's body is looked at.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app
}

/** What the framework itself refuses, or a file that could not be read before its first byte was sent. */
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
