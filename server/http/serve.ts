import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Permission, RequestClient, Route } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { quoted } from '../kernel/sentence.ts'
import { languageOf } from './accept-language.ts'
import { checkAnswer, checkError } from './check-answer.ts'
import { Connection } from './connection.ts'
import { readNoteCookie } from './cookie.ts'
import type { HttpLog } from './http-log.ts'
import type { OriginRule } from './origin.ts'
import { internalError, sendProblem, statusOf } from './problem.ts'
import { discardRest } from './discard-rest.ts'
import { rateLimit } from './rate-limit.ts'
import { readRequest, type RequestParts } from './read-request.ts'
import { sendAnswer } from './reply.ts'
import type { Serving } from './serving.ts'

/** A handler seen from here: its types were checked against the route when it was mounted. */
export type AnyHandler = (input: RequestParts & AnyContext) => unknown
interface AnyContext {
  readonly caller: Caller | null
  readonly asks: readonly Permission[]
  readonly client: RequestClient
  readonly signal: AbortSignal
}

/** Makes the listener of one route: limit → gate → request checked → handler → the one reply that the route declares. */
export function serveRoute(route: Route, handler: AnyHandler, serving: Serving) {
  const limit = route.rateLimit === undefined ? null : rateLimit(route.rateLimit)
  return async function listener(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    let language = languageOf(request.headers['accept-language'])
    try {
      limit?.(request.ip)
      const admitted = await serving.admit(route, request)
      if ('location' in admitted) {
        return reply.code(303).header('location', admitted.location).header('cache-control', 'no-store').send('')
      }
      const { caller, asks } = admitted
      language = caller?.language ?? language
      const parts = await readRequest(route, request, language)
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
      return await sendAnswer(route, answer, { request, reply, connection, caller, serving })
    } catch (error) {
      return await answerError(route, error, { request, reply, language, serving })
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
    get origin() {
      return origin.own(request)
    },
    get note() {
      return readNoteCookie(headers.cookie, origin.secure(request))
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
  { request, reply, language, serving: { web, log, checkAnswers } }: Exchange,
): Promise<FastifyReply> {
  const error = expected(route, thrown, checkAnswers)
  report(route, error, request, log)
  if (reply.sent) return reply
  const problem = error.code === 'internal' ? internalError(request.id) : error
  if (route.response.kind !== 'page' || statusOf(problem) >= 500) return sendProblem(reply, problem, language)
  try {
    // A page explains refusals itself: the browser gets the application, and the status says why.
    return await web.sendPage(request, reply, statusOf(problem))
  } catch {
    return sendProblem(reply, problem, language)
  }
}

/** Anything but an AppError that the route may answer is a failure of the server. */
function expected(route: Route, thrown: unknown, checkAnswers: boolean): AppError {
  if (!(thrown instanceof AppError)) return new AppError('internal', quoted('unexpected'), { cause: thrown })
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
  // Somebody who hangs up in the middle of a request is no fault of the server.
  if (request.raw.destroyed && !request.raw.complete) log.debug(fields, 'client left')
  else if (statusOf(error) >= 500) log.error(fields, 'request failed')
  else log.debug(fields, 'request refused')
}
