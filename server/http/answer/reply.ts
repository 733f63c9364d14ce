import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, FileAnswer, Redirection, Route, SessionChange, StreamEvent } from '../../../contract/route.ts'
import { checkEvent } from './check-answer.ts'
import type { Connection } from '../request/connection.ts'
import { deviceCookie, noteCookie, sessionCookie } from '../request/cookie.ts'
import { EVENT_HEADERS } from './events.ts'
import { JSON_TYPE, PRIVATE } from './security-headers.ts'
import { sendFile } from './send-file.ts'
import type { Serving } from '../serving.ts'

export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly connection: Connection
  readonly caller: Caller | null
  /** Of the caller, or what their browser prefers. */
  readonly language: string
  readonly serving: Serving
}

/** Sends a handler's return value as the kind of answer its route declares. */
export async function sendAnswer(route: Route, answer: unknown, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, caller, serving } = exchange
  const { response } = route
  switch (response.kind) {
    case 'json':
      return sendJson(reply, answer)
    case 'session': {
      const { body, session } = answer as { body: unknown; session: SessionChange | null }
      changeSession(reply, session, serving.origin.secure(request))
      return sendJson(reply, body)
    }
    case 'accepted': {
      const { status, body } = answer as { status: 200 | 202; body: unknown }
      if (status === 202) reply.code(202).header('preference-applied', 'respond-async')
      return sendJson(reply, body)
    }
    case 'page':
      return serving.web.sendPage(request, reply, 200, { language: exchange.language, signedIn: caller !== null })
    case 'redirect': {
      const { location, session, note } = answer as Redirection
      const secure = serving.origin.secure(request)
      if (session !== undefined) changeSession(reply, session, secure)
      if (note !== undefined) reply.header('set-cookie', noteCookie(note, secure))
      return reply.code(response.status).header('location', location).header('cache-control', PRIVATE).send('')
    }
    case 'text':
      return reply.header('content-type', response.mediaType).header('cache-control', PRIVATE).send(answer)
    case 'relayed':
      return sendRelayed(reply, answer as Response)
    case 'file':
      return sendFile(reply, answer as FileAnswer, response, (error) =>
        serving.log.error({ request_id: request.id, route: route.path, err: error }, 'file stream failed'),
      )
    case 'events':
      return sendEvents(route, answer as AsyncIterable<StreamEvent>, exchange)
  }
}

function changeSession(reply: FastifyReply, session: SessionChange | null, secure: boolean): void {
  reply.header('set-cookie', sessionCookie(session, secure))
  if (session?.device) reply.header('set-cookie', deviceCookie(session.device, secure))
}

function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.header('content-type', JSON_TYPE).header('cache-control', PRIVATE).send(JSON.stringify(body))
}

/** Headers of the answer win, except for what would let others keep it. */
function sendRelayed(reply: FastifyReply, { status, headers, body }: Response): FastifyReply {
  for (const [name, value] of headers) reply.header(name, value)
  reply.code(status).header('cache-control', PRIVATE)
  return body === null ? reply.send('') : reply.send(Readable.fromWeb(body as ReadableStream<Uint8Array>))
}

function sendEvents(route: Route, source: AsyncIterable<StreamEvent>, exchange: Exchange): FastifyReply {
  const { request, reply, connection, caller, serving } = exchange
  const { log, streams } = serving
  const iterator = source[Symbol.asyncIterator]()
  // From here on this code owns the stream: the framework would wait for its end, and closing would never finish.
  reply.hijack()
  const out = reply.raw
  out.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...EVENT_HEADERS })
  const failed = (error: unknown) => {
    if (connection.signal.aborted) return
    log.error({ request_id: request.id, route: route.path, err: error }, 'event stream failed')
  }
  if (request.method === 'HEAD' || serving.stopping() || out.destroyed) {
    connection.leave()
    void Promise.resolve(iterator.return?.()).catch(failed)
    out.end()
    return reply
  }
  streams.begin(out, iterator, caller, {
    check: (event) => serving.checkAnswers && checkEvent(route, event.data),
    ended: () => connection.leave(),
    failed,
  })
  return reply
}
