import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A real server whose every answer is in `answers`; keeps what it was asked. */
export class Site {
  readonly seen: Seen[] = []
  readonly #server: Server
  constructor(answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void>) {
    this.#server = createServer((request, response) => {
      void (async () => {
        let body = ''
        for await (const chunk of request) body += String(chunk)
        const { method = '', url = '', headers } = request
        this.seen.push({ method, path: url, headers, body })
        const answer = answers[new URL(url, 'http://x').pathname]
        if (answer === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here')
        else answer(request, response)
      })()
    })
  }
  async listen(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return this
  }
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }
  get url(): string {
    return `http://${this.host}`
  }
  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An answer with this content. */
export function to(type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return (_request, response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(body)
}

export function leadsTo(location: string | (() => string), status = 302): Answer {
  return (_request, response) =>
    void response.writeHead(status, { location: typeof location === 'string' ? location : location() }).end()
}
