import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERRORS } from '../../../contract/errors.ts'
import { say } from '../../kernel/sentence.ts'
import { languageOf } from './accept-language.ts'
import { discardRest } from './discard-rest.ts'
import { SECURITY_HEADERS } from '../answer/security-headers.ts'

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * Answers plain HTTP on a port for HTTPS: a page is redirected; everything else is refused, because it has already sent
 * in the clear what encryption would have protected: a password, a token, a body.
 */
export function answerPlainRequest(request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '', headers } = request
  const page = (method === 'GET' || method === 'HEAD') && url.startsWith('/') && !url.startsWith('/api/')
  // A redirect cached by browsers would outlive a change of the settings.
  const common = { ...SECURITY_HEADERS, 'cache-control': 'no-store', connection: 'close' }
  if (page && headers.host !== undefined && HOST.test(headers.host)) {
    response.writeHead(308, { ...common, location: `https://${headers.host}${url}`, 'content-length': 0 }).end()
  } else {
    const { status, title } = ERRORS.plain_http
    const detail = say`Use https:// for this address. This request came without encryption: assume that any password or token in it was read by others, and change it.`
    const problem = { type: 'about:blank', title, status, detail: detail.in(languageOf(headers['accept-language'])) }
    response
      .writeHead(status, { ...common, 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ ...problem, code: 'plain_http' }))
  }
  discardRest(request)
}
