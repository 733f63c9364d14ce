import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERRORS } from '../../contract/errors.ts'
import { say } from '../kernel/sentence.ts'
import { languageOf } from './accept-language.ts'
import { discardRest } from './discard-rest.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * Answers plain HTTP that came to a port for HTTPS: a page is shown the way; everything else is refused, because it has
 * sent already, for everybody to read, what encryption would have kept: a password, a token, a body.
 */
export function answerPlainRequest(request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '', headers } = request
  const page = (method === 'GET' || method === 'HEAD') && url.startsWith('/') && !url.startsWith('/api/')
  // A redirect that browsers keep would outlive a change of the settings.
  const common = { ...SECURITY_HEADERS, 'cache-control': 'no-store', connection: 'close' }
  if (page && headers.host !== undefined && HOST.test(headers.host)) {
    response.writeHead(308, { ...common, location: `https://${headers.host}${url}`, 'content-length': 0 }).end()
  } else {
    const { status, title } = ERRORS.plain_http
    const detail = say`Use https:// for this address. This request came without encryption: take a password or token that was in it as read by others, and change it.`
    const problem = { type: 'about:blank', title, status, detail: detail.in(languageOf(headers['accept-language'])) }
    response
      .writeHead(status, { ...common, 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ ...problem, code: 'plain_http' }))
  }
  discardRest(request)
}
