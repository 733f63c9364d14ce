import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { addressKind } from '../../kernel/network/address-kind.ts'
import { isOnThisMachine } from '../channel-address.ts'
import { type Message, textOf } from './message.ts'

export interface MailServer {
  /** `smtps://host:465`, or `smtp://host:587`: encrypted by STARTTLS unless it is on this machine. */
  readonly address: string
  readonly account: string | null
  readonly secret: string | null
  /** What mails come from. */
  readonly sender: string
}

/** Milliseconds for each step of the conversation with the server. */
const STEP = 10_000

/** Sends one mail. @throws {Error} that says why it did not arrive */
export async function sendMail(server: MailServer, to: string, message: Message, signal: AbortSignal): Promise<void> {
  const url = new URL(server.address)
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const secure = url.protocol === 'smtps:'
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    // The address that was judged is the one that is connected to; the name remains for TLS.
    host: await judged(name),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !isOnThisMachine(server.address),
    ...(isIP(name) === 0 && { tls: { servername: name } }),
    ...(server.account !== null && { auth: { user: server.account, pass: server.secret ?? '' } }),
    connectionTimeout: STEP,
    greetingTimeout: STEP,
    socketTimeout: STEP,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const stop = (): void => transport.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await transport.sendMail({
      from: { name: 'Reeve', address: server.sender },
      to: { name: '', address: to },
      // The same for every attempt: mail programs show it once.
      messageId: `<${message.id}@${server.sender.slice(server.sender.indexOf('@') + 1)}>`,
      subject: message.title,
      text: `${textOf(message)}\n`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    })
  } finally {
    signal.removeEventListener('abort', stop)
    transport.close()
  }
}

/** An address of the host that is no metadata service. @throws {Error} */
async function judged(name: string): Promise<string> {
  const found = isIP(name) === 0 ? (await lookup(name, { all: true })).map(({ address }) => address) : [name]
  const address = found.find((one) => addressKind(one) !== 'never')
  if (address === undefined) throw new Error(`${name} leads to an address that mails are never sent to.`)
  return address
}
