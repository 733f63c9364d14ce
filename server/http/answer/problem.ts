import type { FastifyReply } from 'fastify'
import { ERRORS } from '../../../contract/errors.ts'
import { AppError } from '../../kernel/app-error.ts'
import { quoted, say, Sentence } from '../../kernel/sentence.ts'
import type { StorageFailure } from '../../kernel/storage-failure.ts'
import { languageOf } from '../request/accept-language.ts'
import { PRIVATE } from './security-headers.ts'

/**
 * Sends an error as RFC 9457 `application/problem+json`. The only place where an error code becomes a status. Its
 * sentences are translated into `language`. Members given by `extra` never replace the standard ones.
 */
export function sendProblem(
  reply: FastifyReply,
  error: AppError,
  language = languageOf(reply.request.headers['accept-language']),
): FastifyReply {
  const { status, title } = ERRORS[error.code]
  reply.code(status).header('content-type', 'application/problem+json').header('cache-control', PRIVATE)
  if (error.retryAfter !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(error.retryAfter))))
  if (status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer')
  return reply.send(
    JSON.stringify({
      ...error.extra,
      type: 'about:blank',
      title: quoted(title).in(language),
      status,
      detail: error.detail.in(language),
      code: error.code,
      errors: error.errors?.map(({ path, message }) => ({
        path,
        message: message instanceof Sentence ? message.in(language) : message,
      })),
    }),
  )
}

/** What an unexpected failure looks like from outside: neutral, with the id under which it is logged. */
export function internalError(requestId: string): AppError {
  return new AppError(
    'internal',
    say`The server could not complete this request. An administrator can find the reason in the log.`,
    {
      extra: { request_id: requestId },
    },
  )
}

/** What a failure of the storage looks like from outside; `cause` goes to the log. */
export function storageProblem(failure: StorageFailure, cause: unknown): AppError {
  return failure === 'full'
    ? new AppError(
        'storage_full',
        say`The disk of the service is full, so nothing can be stored. Existing data can still be read. Tell an administrator.`,
        { cause },
      )
    : new AppError(
        'storage_unavailable',
        say`The storage of the service does not answer at the moment. Try again in a few seconds.`,
        { cause },
      )
}

export function notFound(): AppError {
  return new AppError('not_found', say`There is nothing at this address, or it is not yours.`)
}

export function statusOf({ code }: AppError): number {
  return ERRORS[code].status
}
