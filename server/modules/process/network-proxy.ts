import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { NetworkGrant, NetworkRefusal } from './network-grant.ts'

const CONNECTIONS = 128
const CONNECT_DEADLINE_MS = 15_000
const IDLE_MS = 10 * 60_000

/** The only way out of a sandbox without network: a proxy that admits only granted hosts. */
export interface NetworkProxy {
  close(): void
}

/**
 * Listens on a socket file for CONNECT and for plain requests with a full http address. Names are resolved here, and
 * the connection goes to exactly the address that was checked. Refuses with 403 and a sentence, or 502 when the host
 * does not answer.
 */
export async function openNetworkProxy(socketFile: string, hosts: readonly string[]): Promise<NetworkProxy> {
  const grant = new NetworkGrant(hosts)
  const open = new Set<Duplex>()
  const server = createServer({ maxHeaderSize: 64 * 1024 })
  server.maxConnections = CONNECTIONS
  // An upload may take any length of time.
  server.requestTimeout = 0

  const track = <T extends Duplex>(stream: T): T => {
    open.add(stream)
    stream.once('close', () => open.delete(stream))
    stream.on('error', () => stream.destroy())
    return stream
  }

  server.on('connection', track)
  server.on('connect', (message: IncomingMessage, client: Duplex, head: Buffer) => {
    const target = /^\[?([^\]]+?)\]?:(\d+)$/.exec(message.url ?? '')
    if (target === null) return refuseTunnel(client, 400, 'That is no host and port.')
    void dial(grant, target[1] ?? '', Number(target[2])).then(
      (upstream) => {
        track(upstream)
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        upstream.write(head)
        upstream.setTimeout(IDLE_MS, () => upstream.destroy())
        client.pipe(upstream).pipe(client)
        client.once('close', () => upstream.destroy())
        upstream.once('close', () => client.destroy())
      },
      (error: unknown) => refuseTunnel(client, statusOf(error), sentence(error)),
    )
  })
  server.on('request', (message, reply) => void forward(grant, message, reply, track))

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketFile, resolve)
  })
  server.unref()
  return {
    close() {
      server.close()
      for (const stream of open) stream.destroy()
    },
  }
}

async function dial(grant: NetworkGrant, host: string, port: number): Promise<Socket> {
  const addresses = await grant.resolve(host, port)
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      // Not resolved a second time, when the answer could differ.
      lookup: (_name, options, found) =>
        options.all === true ? found(null, addresses) : found(null, addresses[0]!.address, addresses[0]!.family),
    })
    socket.setTimeout(CONNECT_DEADLINE_MS, () => socket.destroy(new Error('it did not answer in time')))
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      socket.setTimeout(0)
      resolve(socket)
    })
  })
}

async function forward(
  grant: NetworkGrant,
  message: IncomingMessage,
  reply: ServerResponse,
  track: <T extends Duplex>(stream: T) => T,
): Promise<void> {
  const refuse = (status: number, text: string): void => {
    if (reply.headersSent) return void reply.destroy()
    reply.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`)
  }
  const url = URL.parse(message.url ?? '')
  if (url?.protocol !== 'http:') return refuse(400, 'A whole http address is needed.')
  try {
    const upstream = track(await dial(grant, url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 80)))
    const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = message.headers
    const request = httpRequest(
      { createConnection: () => upstream, method: message.method, path: url.pathname + url.search, headers },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(reply)
        answer.once('error', () => reply.destroy())
      },
    )
    request.once('error', (error) => refuse(502, sentence(error)))
    reply.once('close', () => request.destroy())
    message.pipe(request)
  } catch (error) {
    refuse(statusOf(error), sentence(error))
  }
}

function refuseTunnel(client: Duplex, status: number, text: string): void {
  const body = `${text}\n`
  client.end(
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Error'}\r\ncontent-type: text/plain\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

function statusOf(error: unknown): number {
  return error instanceof NetworkRefusal ? 403 : 502
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
