import { createServer, type AddressInfo, type Socket } from 'node:net'
import ssh2, { type Connection, type ServerChannel, type ServerConfig } from 'ssh2'
import type { HostTarget } from '../../../server/hosts/ssh/target.ts'
import { makeKeyPair } from '../../../server/hosts/ssh/key-pair.ts'

export interface OddServer extends AsyncDisposable {
  readonly port: number
  /** Connections so far. */
  readonly connections: number
  /** Ends all connections. */
  hangUp(): void
  /** Attempts to sign in so far. */
  readonly attempts: number
  target(more?: Partial<HostTarget>): HostTarget
}

const PAIR = makeKeyPair('odd')
const HOST_KEY = PAIR.public_key.split(' ')[1]!

/** A server on 127.0.0.1 that does with a connection what it likes, without any SSH. */
export async function startRawServer(onSocket: (socket: Socket) => void): Promise<OddServer> {
  return listening(onSocket, () => 0)
}

export interface OddDeeds {
  readonly config?: Partial<ServerConfig>
  /** Whether it lets somebody in; it does unless this says otherwise. */
  readonly admits?: () => boolean
  /** A program was asked for; `marker` is what tells its beginning, once the script has come. */
  readonly onExec?: (channel: ServerChannel, marker: Promise<string>) => void
  readonly onConnection?: (connection: Connection) => void
}

/** A server on 127.0.0.1 that speaks SSH, and does with programs what it likes. */
export async function startOddServer(deeds: OddDeeds = {}): Promise<OddServer> {
  let attempts = 0
  const server = new ssh2.Server({ hostKeys: [PAIR.private_key], ...deeds.config }, (connection) => {
    deeds.onConnection?.(connection)
    connection.on('error', () => undefined)
    connection.on('authentication', (context) => {
      attempts++
      if (deeds.admits?.() ?? true) context.accept()
      else context.reject()
    })
    connection.on('session', (accept) => {
      accept().on('exec', (acceptExec) => {
        const channel = acceptExec()
        channel.on('error', () => undefined)
        let script = ''
        const marker = new Promise<string>((resolve) => {
          channel.on('data', (chunk: Buffer) => {
            script += chunk.toString('latin1')
            const [, word] = /printf '%s %s\\n' ([0-9a-f]{32}) /.exec(script) ?? []
            if (word !== undefined) resolve(word)
          })
        })
        deeds.onExec?.(channel, marker)
      })
    })
  })
  return listening(
    (socket) => server.injectSocket(socket),
    () => attempts,
  )
}

async function listening(onSocket: (socket: Socket) => void, attempts: () => number): Promise<OddServer> {
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
    onSocket(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const hangUp = (): void => {
    for (const socket of open) socket.destroy()
  }
  const { port } = server.address() as AddressInfo
  return {
    port,
    get connections() {
      return connections
    },
    get attempts() {
      return attempts()
    },
    target: (more = {}) => ({
      host_id: `odd-${port}`,
      name: 'odd-1',
      address: '127.0.0.1',
      port,
      account: 'reeve',
      host_key: HOST_KEY,
      ...more,
    }),
    hangUp,
    async [Symbol.asyncDispose]() {
      hangUp()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A program that says that it has begun and ends. */
export function begins(
  channel: { write(text: string): unknown; exit(code: number): unknown; end(): unknown },
  marker: Promise<string>,
) {
  void marker.then((word) => {
    channel.write(`${word} 4711\n`)
    channel.exit(0)
    channel.end()
  })
}
