import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly messageId: string
  /** Headers and body as they came; quoted-printable is decoded. */
  readonly text: string
}

/** A real mail server that keeps what it is given, for one account or for anybody. */
export interface MailServer extends AsyncDisposable {
  /** `smtp://127.0.0.1:…` */
  readonly url: string
  readonly mails: readonly Mail[]
  /** Mails to that address, oldest first. */
  to(address: string): Mail[]
  /** What it says instead of taking a mail; null: it takes them. */
  refusal: string | null
  /** It takes the mail and never says so. */
  silent: boolean
}

export async function startMailServer(account?: { user: string; pass: string }): Promise<MailServer> {
  const mails: Mail[] = []
  const state = { refusal: null as string | null, silent: false }
  const server = new SMTPServer({
    authOptional: account === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === account?.user && password === account?.pass
        ? done(null, { user: username })
        : done(new Error('Authentication failed')),
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        if (state.refusal !== null) return done(Object.assign(new Error(state.refusal), { responseCode: 451 }))
        const raw = Buffer.concat(parts).toString('utf8')
        const [head, body] = raw.split(/\r\n\r\n(.*)/s) as [string, string]
        const headers = head.replaceAll('\r\n', '\n')
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          subject: headerOf(headers, 'Subject'),
          messageId: headerOf(headers, 'Message-ID'),
          text: `${headers}\n\n${decoded(body)}`,
        })
        if (!state.silent) done()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    to: (address) => mails.filter(({ to }) => to.includes(address)),
    get refusal() {
      return state.refusal
    },
    set refusal(refusal) {
      state.refusal = refusal
    },
    get silent() {
      return state.silent
    },
    set silent(silent) {
      state.silent = silent
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function decoded(text: string): string {
  const bytes = text
    .replaceAll('=\r\n', '')
    .replace(/(?:=[0-9A-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString('utf8'))
  return bytes.replaceAll('\r\n', '\n')
}

/** A header whose lines are put together; words in base64 or quoted-printable are decoded. */
function headerOf(headers: string, name: string): string {
  const lines = headers.replaceAll(/\n[ \t]+/g, ' ').split('\n')
  const line = lines.find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`)) ?? ''
  return line
    .slice(name.length + 1)
    .trim()
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString('utf8') : decoded(word.replaceAll('_', ' ')),
    )
}
