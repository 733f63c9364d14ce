import type { Duplex } from 'node:stream'
import type { Client, ConnectConfig } from 'ssh2'
import { MachineUnreachable } from '../../modules/machines.ts'
import { algorithmsOf, KEY_TYPES, type KeyAlgorithm } from './host-key.ts'

/** Before the sign-in, a machine has nothing to say that is longer, and nothing later is waiting to be sent for long. */
const MOST_BEFORE = 256 * 1024
const MOST_WAITING = 16 * 1024 * 1024
/** Bytes between two pauses: 40 MiB a second. */
const MOST_AT_ONCE = 2 * 1024 * 1024
const PAUSE_MS = 50

/** Nothing with SHA-1, no CBC, no compression (which unpacks more than it is). */
const ALGORITHMS: NonNullable<ConnectConfig['algorithms']> = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group-exchange-sha256',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
  ],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'chacha20-poly1305@openssh.com',
    'aes128-ctr',
    'aes192-ctr',
    'aes256-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
}

/** The machine showed another host key than the pinned one; nothing was told to it. */
export class KeyChanged extends MachineUnreachable {
  /** Base64; null when it has none of the pinned kind any more. */
  readonly offered_key: string | null

  constructor(name: string, offered: Buffer | null) {
    const how =
      offered === null ? 'has no host key of the pinned kind any more' : 'showed another host key than the pinned one'
    super('key_changed', `${name} ${how}. Nobody has signed in.`)
    this.offered_key = offered?.toString('base64') ?? null
  }
}

export interface Handshake {
  /** As people call the machine. */
  readonly name: string
  readonly socket: Duplex
  /** Kinds of host keys that are asked for; all of them unless given. */
  readonly offered?: readonly KeyAlgorithm[]
  /** Whether to go on with a machine that has this key. */
  readonly accept: (key: Buffer) => boolean
  readonly account: string
  /** Tried one after the other, in OpenSSH's format or as PEM. None: the handshake is all that is wanted. */
  readonly keys: readonly string[]
  /** Milliseconds until its first word. */
  readonly greeting: number
  readonly keepalive: number
  readonly keepalive_count: number
}

/**
 * Shakes hands with a machine and signs in; resolves with the connection. Rejects with MachineUnreachable, or with the
 * reason of the signal. Without keys it ends after the handshake, having shown that the machine owns its host key.
 */
export async function signIn(wanted: Handshake, signal: AbortSignal): Promise<Client> {
  const { default: ssh2 } = await import('ssh2')
  const { name, socket, keys, account: username } = wanted
  const client = new ssh2.Client()
  let shown: Buffer | null = null
  let refused = false
  let asked = false
  let limit: NodeJS.Timeout | undefined
  try {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const mute = new MachineUnreachable('unreachable', `${name} did not answer within ${wanted.greeting / 1000} s.`)
      limit = setTimeout(() => reject(mute), wanted.greeting)
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      client.on('error', (error: Error & { level?: string; code?: number }) => {
        reject(explain(error, name, refused ? shown : null, asked))
        socket.destroy()
      })
      client.on('close', () => reject(new MachineUnreachable('unreachable', `${name} ended the connection.`)))
      client.once('handshake', () => {
        asked = true
        if (keys.length > 0) return
        // At once, so that not even the wish to sign in is sent.
        socket.destroy()
        resolve()
      })
      client.once('ready', resolve)
      client.connect({
        sock: socket,
        ident: 'reeve',
        username,
        authHandler: keys.map((key) => ({ type: 'publickey' as const, username, key })),
        algorithms: { ...ALGORITHMS, serverHostKey: [...(wanted.offered ?? KEY_TYPES.flatMap(algorithmsOf))] },
        hostVerifier: (key: Buffer) => {
          shown = key
          refused = !wanted.accept(key)
          return !refused
        },
        // Ours, which covers the whole way, has the say.
        readyTimeout: 0,
        keepaliveInterval: wanted.keepalive,
        keepaliveCountMax: wanted.keepalive_count,
      })
      // Paused until the library listens: another listener doesn't change that.
      let received = 0
      const onData = (chunk: Buffer) => {
        clearTimeout(limit)
        received += chunk.length
        if (received > MOST_BEFORE)
          reject(new MachineUnreachable('unreachable', `${name} sent far too much before the sign-in.`))
      }
      socket.on('data', onData)
      client.once('ready', () => {
        socket.off('data', onData)
        bound(socket)
      })
    })
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(limit)
  }
  return client
}

/** A machine that sends without an end shares this process with everything else, and may not fill its memory. */
function bound(socket: Duplex): void {
  let received = 0
  let from = performance.now()
  socket.on('data', (chunk: Buffer) => {
    // It asks and asks, and takes no answer.
    if (socket.writableLength > MOST_WAITING) return void socket.destroy()
    if (performance.now() - from > PAUSE_MS) {
      received = 0
      from = performance.now()
    }
    received += chunk.length
    if (received < MOST_AT_ONCE) return
    socket.pause()
    setTimeout(() => socket.resume(), PAUSE_MS)
  })
}

function explain(
  error: Error & { level?: string; code?: number },
  name: string,
  refused: Buffer | null,
  asked: boolean,
): MachineUnreachable {
  if (refused !== null) return new KeyChanged(name, refused)
  if (error.message.includes('no matching host key')) return new KeyChanged(name, null)
  const told = asked && (error.code === 14 || /auth/i.test(error.message))
  if (error.level === 'client-authentication' || told)
    return new MachineUnreachable('sign_in_refused', `${name} does not accept Reeve's key for this account.`)
  if (error.message.includes('no matching'))
    return new MachineUnreachable('unreachable', `${name} offers only algorithms that are not safe any more.`)
  return new MachineUnreachable('unreachable', `${name} cannot be reached: ${plain(error.message)}.`)
}

/** What others wrote, as a part of a sentence. */
export function plain(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300)
    .replace(/\.$/, '')
}
