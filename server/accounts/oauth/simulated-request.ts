import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

export interface SimulatedRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface SimulatedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/**
 * What a listener of Node answers to a request that never was on a wire. The library speaks to nobody itself: who asks, how
 * often and from where was looked at before, as with any other route.
 */
export function simulated(
  listener: RequestListener,
  { method, url, headers, body }: SimulatedRequest,
): Promise<SimulatedAnswer> {
  // As over TLS: the address that people reach the service by says so, whoever ends it.
  const request = new IncomingMessage(Object.assign(new Socket(), { encrypted: true }))
  request.method = method
  request.url = url.pathname + url.search
  request.headers = { ...headers, host: url.host, ...(body && { 'content-length': String(body.byteLength) }) }
  if (body) request.push(body)
  request.push(null)
  const response = new ServerResponse(request)
  return new Promise((fulfil) => {
    response.end = ((chunk?: unknown) => {
      const said = new Headers()
      for (const [name, value] of Object.entries(response.getHeaders()))
        for (const one of [value].flat()) said.append(name, String(one))
      const text = typeof chunk === 'string' ? chunk : chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : ''
      fulfil({ status: response.statusCode, headers: said, body: text })
      return response
    }) as typeof response.end
    listener(request, response)
  })
}
