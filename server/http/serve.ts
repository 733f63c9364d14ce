import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Permission, RequestClient, Route } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { quoted } from '../kernel/sentence.ts'
import { storageFailure } from '../kernel/storage-failure.ts'
import { languageOf } from './request/accept-language.ts'
import { checkAnswer, checkError } from './answer/check-answer.ts'
import { Connection } from './request/connection.ts'
import { readDeviceCookie, readNoteCookie } from './request/cookie.ts'
import type { HttpLog } from './http-log.ts'
import type { OriginRule } from './request/origin.ts'
import { internalError, sendProblem, statusOf, storageProblem } from './answer/problem.ts'
import { discardRest } from './request/discard-rest.ts'
import { limitShared, rateLimit } from './request/rate-limit.ts'
import { readRequest, type RequestParts } from './request/read-request.ts'
import { sendAnswer } from './answer/reply.ts'
import type { Serving } from './serving.ts'

/** A handler as seen from here: its types were checked against the route when it was mounted. */
export type AnyHandler = (input: RequestParts & AnyContext) => unknown
interface AnyContext {
  readonly caller: Caller | null
  readonly asks: readonly Permission[]
  readonly client: RequestClient
  readonly signal: AbortSignal
}

/**
 * Creates the listener of one route: rate limit → gate → validated request → handler → the one answer the route
 * declares.
 */
export function serveRoute(route: Route, handler: AnyHandler, serving: Serving) {
  const limit = route.rateLimit === undefined ? null : rateLimit(route.rateLimit)
  const shared = route.sharedLimit === true ? serving.sharedLimit : null
  return async function listener(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    let caller: Caller | null = null
    const language = (): string => caller?.language ?? languageOf(request.headers['accept-language'])
    try {
      limit?.(request.ip)
      if (shared !== null) await limitShared(shared, route, request.ip)
      const admitted = await serving.admit(route, request)
      if ('location' in admitted) {
        return reply.code(303).header('location', admitted.location).header('cache-control', 'no-store').send('')
      }
      caller = admitted.caller
      const { asks } = admitted
      const parts = await readRequest(route, request, language())
      const owner = route.revised === true ? caller : null
      if (owner !== null && (await serving.revised.isKnown(request, reply, owner)))
        return serving.revised.sendUnchanged(reply)
      const connection = new Connection(reply.raw)
      const answer = await handler({
        ...parts,
        caller,
        asks,
        client: clientOf(request, serving.origin),
        get signal() {
          return connection.signal
        },
      })
      if (serving.checkAnswers) checkAnswer(route, answer)
      if (serving.checkAnswers && owner !== null) await serving.revised.verify(route, request, reply, owner, answer)
      return await sendAnswer(route, answer, { request, reply, connection, caller, language: language(), serving })
    } catch (error) {
      return await answerError(route, error, { request, reply, language: language(), serving })
    } finally {
      if (route.method !== 'GET') discardRest(request.raw)
    }
  }
}

function clientOf(request: FastifyRequest, origin: OriginRule): RequestClient {
  const { ip, headers } = request
  return {
    address: ip,
    user_agent: (headers['user-agent'] ?? '').slice(0, 500),
    content_type: headers['content-type'] ?? '',
    content_length: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    get origin() {
      return origin.own(request)
    },
    get note() {
      return readNoteCookie(headers.cookie, origin.secure(request))
    },
    get device() {
      return readDeviceCookie(headers.cookie, origin.secure(request))
    },
  }
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly language: string
  readonly serving: Serving
}

async function answerError(
  route: Route,
  thrown: unknown,
  { request, reply, language, serving: { web, log, checkAnswers, onStorageFull, challenge } }: Exchange,
): Promise<FastifyReply> {
  const error = expected(route, thrown, checkAnswers)
  report(route, error, request, log)
  if (error.code === 'storage_full') onStorageFull?.()
  if (reply.sent) return reply
  if (route.audience !== undefined && challenge !== null && statusOf(error) === 401)
    reply.header('www-authenticate', challenge)
  const problem = error.code === 'internal' ? internalError(request.id) : error
  if (route.response.kind !== 'page' || statusOf(problem) >= 500) return sendProblem(reply, problem, language)
  try {
    // Pages explain refusals themselves: the browser gets the application, and the status says why.
    return await web.sendPage(request, reply, statusOf(problem), null)
  } catch {
    return sendProblem(reply, problem, language)
  }
}

/** Anything but an AppError the route may answer is a failure of the server. */
function expected(route: Route, thrown: unknown, checkAnswers: boolean): AppError {
  if (!(thrown instanceof AppError)) {
    const failure = storageFailure(thrown)
    if (failure !== null) return storageProblem(failure, thrown)
    return new AppError('internal', quoted('unexpected'), { cause: thrown })
  }
  if (!checkAnswers) return thrown
  try {
    checkError(route, thrown.code)
    return thrown
  } catch (breach) {
    return new AppError('internal', quoted('undeclared'), { cause: breach })
  }
}

function report(route: Route, error: AppError, request: FastifyRequest, log: HttpLog): void {
  if (error.cause === undefined && error.code !== 'internal') return
  const fields = { request_id: request.id, method: route.method, route: route.path, err: error.cause ?? error }
  // A client that disconnects in the middle of a request is not a fault of the server.
  if (request.raw.destroyed && !request.raw.complete) log.debug(fields, 'client left')
  else if (statusOf(error) >= 500) log.error(fields, 'request failed')
  else log.debug(fields, 'request refused')
}
