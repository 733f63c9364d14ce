import { createHmac } from 'node:crypto'
import { type Message, textOf } from './message.ts'

/** A request that tells a webhook of a message. */
export interface WebhookRequest {
  readonly url: string
  readonly method: 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface WebhookPlace {
  readonly address: string
  readonly target: string | null
  readonly secret: string | null
}

type Format = (place: WebhookPlace, message: Message, now: number) => WebhookRequest

const JSON_TYPE = { 'content-type': 'application/json' }
/** Bytes of a message that ntfy takes as one, with room for a last line; more would arrive as a file, or not at all. */
const NTFY_MESSAGE = 4000

/** What each kind of webhook takes. `now`: epoch milliseconds. */
export const WEBHOOKS: { readonly [Kind in 'generic' | 'slack' | 'matrix' | 'ntfy']: Format } = {
  /** https://www.standardwebhooks.com: signed over id, time and body. */
  generic({ address, secret }, message, now) {
    const { type, ...data } = message.data
    const body = JSON.stringify({
      type,
      timestamp: new Date(now).toISOString(),
      data: { title: message.title, text: textOf(message), link: message.link, ...data },
    })
    const timestamp = String(Math.floor(now / 1000))
    const headers: Record<string, string> = { ...JSON_TYPE, 'webhook-id': message.id, 'webhook-timestamp': timestamp }
    if (secret !== null) headers['webhook-signature'] = signed(secret, `${message.id}.${timestamp}.${body}`)
    return { url: address, method: 'POST', headers, body }
  },
  /**
   * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks: plain text has neither links of others nor
   * mentions, and no link at all: only ours is written in Slack's own markup.
   */
  slack({ secret }, message) {
    const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
    const section = (text: object) => ({ type: 'section', text })
    const link = (href: string) => ({ type: 'mrkdwn', text: `<${escaped(href)}>`, verbatim: true })
    const blocks = [
      { type: 'header', text: plain(message.title.slice(0, 150)) },
      ...(message.lines.length === 0 ? [] : [section(plain(message.lines.join('\n').slice(0, 3000)))]),
      ...(message.link === null ? [] : [section(link(message.link))]),
    ]
    return {
      url: secret!,
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ text: escaped(message.title), blocks }),
    }
  },
  /** https://spec.matrix.org: sending with the same transaction id again changes nothing. */
  matrix({ address, target, secret }, message) {
    const room = `/_matrix/client/v3/rooms/${encodeURIComponent(target!)}/send/m.room.message/${encodeURIComponent(message.id)}`
    const body = { msgtype: 'm.notice', body: `${message.title}\n\n${textOf(message)}`, 'm.mentions': {} }
    return {
      url: new URL(`${new URL(address).pathname.replace(/\/$/, '')}${room}`, address).href,
      method: 'PUT',
      headers: { ...JSON_TYPE, authorization: `Bearer ${secret!}` },
      body: JSON.stringify(body),
    }
  },
  /** https://docs.ntfy.sh/publish/#publish-as-json: to the root, with the topic in the body. */
  ntfy({ address, secret }, message) {
    const url = new URL(address)
    const segments = url.pathname.split('/').filter(Boolean)
    const topic = segments.pop()
    const click = message.link === null ? {} : { click: message.link }
    return {
      url: `${url.origin}/${segments.map((segment) => `${segment}/`).join('')}`,
      method: 'POST',
      headers: { ...JSON_TYPE, ...(secret === null ? {} : { authorization: `Bearer ${secret}` }) },
      body: JSON.stringify({ topic, title: message.title, message: fitting(message.lines, NTFY_MESSAGE), ...click }),
    }
  },
}

/** `v1,` and an HMAC-SHA-256; the secret is base64 after `whsec_`, else taken as it is. */
function signed(secret: string, text: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

/** What means something in Slack's markup means itself. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Whole lines from the first on, as many as fit into so many bytes. */
function fitting(lines: readonly string[], max: number): string {
  let bytes = 0
  const end = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > max)
  return end === -1 ? lines.join('\n') : [...lines.slice(0, end), '…'].join('\n')
}
