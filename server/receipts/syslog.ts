import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createConnection, isIPv6 } from 'node:net'
import { lookup } from 'node:dns/promises'
import { iso } from '../kernel/time.ts'
import type { SyslogAddress } from './places.ts'

/** Facility 13 (log audit), severity 5 (notice). */
const PRIORITY = 13 * 8 + 5

/**
 * Sends one message (RFC 5424) by UDP (RFC 5426) or TCP, there with its length before it (RFC 6587). Over UDP nobody
 * says whether it arrived. @throws {Error} when it cannot be handed over
 */
export async function sendSyslog(
  { protocol, host, port }: SyslogAddress,
  { text, signed_at, machine }: { readonly text: string; readonly signed_at: number; readonly machine: string },
  signal: AbortSignal,
): Promise<void> {
  const name = machine.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 255) || '-'
  const message = Buffer.from(`<${PRIORITY}>1 ${iso(signed_at)} ${name} reeve ${process.pid} audit-head - ${text}`)
  if (protocol === 'tcp') {
    const socket = createConnection({ host, port, signal })
    await once(socket, 'connect')
    socket.end(Buffer.concat([Buffer.from(`${message.length} `), message]))
    await once(socket, 'finish')
    socket.destroySoon()
    return
  }
  const { address } = await lookup(host)
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', signal })
  try {
    await new Promise<void>((sent, fail) =>
      socket
        .once('close', () => fail(new Error('It was not sent in time.')))
        .once('error', fail)
        .send(message, port, address, (error) => (error ? fail(error) : sent())),
    )
  } finally {
    if (!signal.aborted) socket.close()
  }
}
